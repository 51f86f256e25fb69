"""Plain text into sentences, in English, Chinese, Japanese and what is punctuated like them.

Every end of a line ends a sentence. Otherwise each mark is judged by a few characters around it, so
the work grows with the text, whatever it holds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

# A full stop, an ellipsis, or several marks at once; then what closes.
_CLOSERS: Final = "\"'”’»›)\\]）」』】〉》〕"
_MARK = re.compile(rf"(?P<mark>[.!?…。！？；｡؟۔।]+)(?P<closers>[{_CLOSERS}]*)")
# Marks that end a sentence with no space behind them.
_WIDE_MARKS: Final = frozenset("。！？；｡")
_OPENERS: Final = "\"'“‘«‹([（「『【〈《〔-–—•*"
# Sentences inside quotes or brackets are not parted, so that what is opened is closed. Longer than
# this, somebody forgot to close it.
LONGEST_QUOTE: Final = 300
_PAIRS: Final = {"“": "”", "「": "」", "『": "』", "（": "）", "(": ")", "«": "»", "《": "》"}
_QUOTES = re.compile(r'["“”「」『』（）()«»《》]')
# Looked at in front of a full stop, and behind it.
_BEHIND, _AHEAD = 24, 40
_LAST_WORD = re.compile(r"[^\s(\[“\"‘'«/—–-]+\Z")
_FIRST_WORD = re.compile(r"[\w'’]+")
# "1. First" at the beginning of a sentence.
_LIST_NUMBER = re.compile(r"(?:\A|[.!?:]\s)\s{0,2}[0-9]{1,2}\Z")
_DOTTED = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]?\Z")

# A name or a number follows, never a new sentence.
_NEVER_LAST: Final = frozenset(
    {
        "mr", "mrs", "ms", "mx", "dr", "prof", "gen", "sen", "rep", "gov", "lt", "col", "sgt",
        "capt", "cmdr", "maj", "adm", "rev", "hon", "pres", "supt", "messrs", "mme", "mlle", "st",
        "mt", "ft", "vs", "v", "no", "nos", "fig", "figs", "eq", "cf", "approx", "al", "vol", "pp",
        "ca", "ed", "eds", "est", "dept", "univ", "e.g", "i.e", "viz", "op", "art", "sec",
        "ave", "blvd", "nr", "bzw", "z.b", "d.h",
    }
)  # fmt: skip
# A sentence may end with these: it does where the next word is one that sentences begin with.
_MAYBE_LAST: Final = frozenset(
    {
        "inc", "corp", "ltd", "co", "bros", "llc", "jr", "sr", "etc", "jan", "feb", "mar", "apr",
        "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec", "mon", "tue", "tues", "wed",
        "thu", "thur", "thurs", "fri", "sat", "sun", "a.m", "p.m", "u.s", "u.k", "u.n", "e.u",
        "u.s.a", "d.c", "ph.d", "m.d", "b.a", "m.a", "b.c", "a.d", "min", "max", "sq",
    }
)  # fmt: skip
_BEGINNERS: Final = frozenset(
    {
        "a", "about", "after", "all", "although", "an", "and", "as", "at", "because", "before",
        "both", "but", "by", "during", "each", "even", "every", "experts", "for", "from", "he",
        "her", "here", "his", "how", "however", "i", "if", "in", "instead", "it", "its", "last",
        "later", "many", "meanwhile", "more", "most", "much", "my", "no", "not", "now", "officials",
        "on", "once", "one", "only", "other", "our", "police", "she", "since", "so", "some", "such",
        "that", "the", "their", "then", "there", "these", "they", "this", "those", "though", "to",
        "today", "two", "under", "until", "we", "what", "when", "where", "which", "while", "who",
        "why", "with", "yes", "yet", "you", "your",
    }
)  # fmt: skip


def split_sentences(text: str) -> list[str]:
    """The sentences of *text* in their order, none empty, each a piece of one line of it."""
    return [sentence for line in text.splitlines() for sentence in _of_line(line)]


def is_whole(sentence: str) -> bool:
    """Whether it ends as sentences do: not with an ellipsis, and not in the middle of a word."""
    end = sentence.rstrip("\"'”’»)]）」』】》 ")
    return end.endswith(tuple(".!?。！？；｡؟۔।")) and not end.endswith(("...", ".."))


def _of_line(line: str) -> Iterator[str]:
    quoted = _quoted_until(line)
    start = 0
    for found in _MARK.finditer(line):
        if quoted[found.start()] > found.end() or not _is_end(line, found):
            continue
        if sentence := line[start : found.end()].strip():
            yield sentence
        start = found.end()
    if rest := line[start:].strip():
        yield rest


def _quoted_until(line: str) -> list[int]:
    """For each place where the quote or bracket around it ends; 0 outside of any."""
    until = [0] * (len(line) + 1)
    opened: list[tuple[str, int]] = []
    covered = 0
    for found in _QUOTES.finditer(line):
        mark, at = found[0], found.start()
        while opened and at - opened[0][1] > LONGEST_QUOTE:
            opened.pop(0)
        closes = [place for place, (closer, _) in enumerate(opened[-3:]) if closer == mark]
        if closes:
            place = max(0, len(opened) - 3) + closes[-1]
            begin = opened[place][1]
            del opened[place:]
            if not opened:
                # Each place is written once: what was covered before is inside of this one.
                for inside in range(max(begin, covered), at):
                    until[inside] = at + 1
                covered = at
        elif len(opened) < 8 and (mark == '"' or mark in _PAIRS):
            opened.append((_PAIRS.get(mark, '"'), at))
    return until


def _is_end(line: str, found: re.Match[str]) -> bool:
    mark, end = found["mark"], found.end()
    after = line[end : end + _AHEAD]
    if mark[-1] in _WIDE_MARKS:
        # 「行く。」と言った goes on after its quote; Chinese does not.
        return not (found["closers"] and (mark == "；" or "\u3041" <= after[:1] <= "\u309f"))
    if after and not after[0].isspace():
        # No space: a decimal, a URL, "ASP.NET"; but Chinese puts none after a Latin mark either.
        return mark[-1] in "!?…" and _is_wide(after[0])
    following = after.lstrip().lstrip(_OPENERS).lstrip()
    if not following:
        return True
    if following[0].islower():
        return False
    if mark == "." and not found["closers"]:
        return _ends_with_full_stop(
            line[max(0, found.start() - _BEHIND) : found.start()], following
        )
    return True


def _ends_with_full_stop(before: str, following: str) -> bool:
    """Whether the full stop between these ends a sentence, or just an abbreviation."""
    last = _LAST_WORD.search(before)
    if last is None:
        return True
    word = last[0].lower()
    if word in _NEVER_LAST:
        return False
    is_initial = len(word) == 1 and word.isalpha()
    if not (is_initial or word in _MAYBE_LAST or _DOTTED.match(word)):
        return _LIST_NUMBER.search(before) is None
    first = _FIRST_WORD.match(following)
    return first is not None and first[0].lower() in _BEGINNERS


def _is_wide(character: str) -> bool:
    return "\u3000" <= character <= "\u9fff" or "\uff00" <= character <= "\uffef"
