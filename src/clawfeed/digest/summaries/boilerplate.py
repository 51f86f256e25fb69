"""A text without what feeds carry around it (`boilerplate_patterns`); nothing takes its place."""

from __future__ import annotations

import re
from typing import Final

from clawfeed.digest.stories.text_folding import fold
from clawfeed.digest.summaries.boilerplate_patterns import PATTERNS, Pattern, PatternPlace
from clawfeed.digest.summaries.plain_text import LONGEST_TEXT, shorten_lines
from clawfeed.digest.summaries.sentences import split_sentences

# One after the other may stand at either end: a byline, a place, an agency.
_ROUNDS: Final = 4
_SPACES = re.compile(r"[^\S\n]+")
_BEFORE_MARK = re.compile(r" (?=[,.;:!?](?:\s|\Z))")
_WORDS = re.compile(r"\w+")
_ANEW = re.compile(r"[\s:：.。!！?？|·–—…-]+[\"“‘「『(【]?[A-Z\d\u3041-\u9fff]")
_DATED = re.compile(r"\s(?:posted|published|updated|written)? ?(?:on|by|at) ", re.IGNORECASE)
_MARKDOWN_LINK = re.compile(r"!?\[([^\[\]]{1,120})\]\((?:https?:/|/)[^\s()]{1,300}\)")
_LEFT_OVER = re.compile(r"\A[\s|·•:：,，.–—-]+(?=\S)")


def _at(where: PatternPlace) -> tuple[Pattern, ...]:
    return tuple(pattern for pattern in PATTERNS if pattern.where is where)


_START, _END, _ANYWHERE, _LINE, _SENTENCE = map(_at, PatternPlace)


def without_boilerplate(text: str, title: str = "") -> str:
    """*text* in its lines, without what belongs to the feed, the page or the author's bio.

    A headline repeated at the start goes, too. May be empty. At most the first `LONGEST_TEXT`
    characters are read.
    """
    lines = shorten_lines(text.splitlines(), LONGEST_TEXT).splitlines()
    whole = "\n".join(_clean_line(line) for line in lines)
    whole = "\n".join(line for line in whole.splitlines() if line and not _is_line(line))
    before = ""
    for _ in range(_ROUNDS):
        if whole == before:
            break
        before, whole = whole, _trim_ends(without_title(whole, title))
    return whole


def is_boilerplate(sentence: str) -> bool:
    """Whether a sentence speaks of the page, the newsletter or the cookies, and not of the news."""
    bare = sentence.lstrip("*_[(（【>•·- ")
    return any(pattern.regex.match(bare) for pattern in _SENTENCE) or _is_line(bare)


def clean_sentences(text: str, title: str = "") -> list[str]:
    """The sentences of *text* that tell something, in their order."""
    return [s for s in split_sentences(without_boilerplate(text, title)) if not is_boilerplate(s)]


def without_title(text: str, title: str) -> str:
    """*text* without the headline that it begins with, whatever stands between the two."""
    words = _WORDS.findall(fold(title))
    if not words:
        return text
    end = _after_words(text, words)
    if end is None:
        return text
    rest = text[end:]
    # "Apple" is no repeated headline of "Apple said on Monday": what follows must begin anew.
    is_own_line = rest.startswith("\n") or not rest.strip()
    is_long = len(words) > 2 or _DATED.match(rest) is not None
    if not is_own_line and not (is_long and _ANEW.match(rest)):
        return text
    return _LEFT_OVER.sub("", rest).lstrip()


def _after_words(text: str, words: list[str]) -> int | None:
    """Where in *text* these words end, if it begins with them."""
    longest = 2 * sum(map(len, words)) + 4 * len(words) + 40
    found = list(_WORDS.finditer(text, 0, longest))
    for each in zip(words, found, strict=False):
        if each[0] != fold(each[1][0]):
            return None
    return found[len(words) - 1].end() if len(found) >= len(words) else None


def _clean_line(line: str) -> str:
    line = _MARKDOWN_LINK.sub(r"\1", _SPACES.sub(" ", line))
    for pattern in _ANYWHERE:
        line = pattern.regex.sub(" ", line)
    return _BEFORE_MARK.sub("", _SPACES.sub(" ", line)).strip()


def _is_line(line: str) -> bool:
    return any(pattern.regex.fullmatch(line) for pattern in _LINE)


def _trim_ends(text: str) -> str:
    for pattern in _START:
        if found := pattern.regex.match(text):
            text = text[found.end() :].lstrip()
    head, last = text[:-500], text[-500:]
    for pattern in _END:
        if found := pattern.regex.search(last):
            last = last[: found.start()]
    return (head + last).strip()
