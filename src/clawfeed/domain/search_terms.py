"""Which words an item is found by, and which words a question asks for.

Both sides are cut by the same rules, whatever the database: words without case and accents;
Chinese, Japanese and Korean, which have no spaces to cut at, as overlapping pairs of characters.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from clawfeed.domain.html_entities import unescape

# What an item is found by: beyond this, a text says little new and the index only grows.
LONGEST_TITLE, LONGEST_AUTHOR, LONGEST_CONTENT = 500, 200, 1_500
# Of a content's markup this much is read to find the characters above.
LONGEST_MARKUP = 4_000
# A longer word is a key or a picture's data; its beginning is enough to find it.
LONGEST_WORD = 40
# A question's last word may be unfinished; beginnings shorter than this are too common to help.
SHORTEST_BEGINNING = 4

# Han, kana, Hangul and their rarer relatives.
_PAIRED = (
    "\u3005-\u3007\u3041-\u30fa\u30fc-\u312f\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7af\U00020000-\U0003ffff"
)
_FIRST_PAIRED = "\u3005"
_RUNS = re.compile(f"[{_PAIRED}]+|[^\\W_{_PAIRED}]+")
_PAIRED_RUN = re.compile(f"[{_PAIRED}]")
_TAG = re.compile(r"</?[a-zA-Z!][^<>]*>")
_ACCENTS = re.compile("[\u0300-\u036f]")


@dataclass(frozen=True, slots=True)
class Term:
    """A word that must be there, or one that begins so."""

    word: str
    is_beginning: bool = False


def index_words(*, title: str, author: str | None, content: str) -> list[str]:
    """The words an item is found by, each once; never one with a space or a quote in it."""
    parts = (title[:LONGEST_TITLE], (author or "")[:LONGEST_AUTHOR], _plain(content))
    words: dict[str, None] = {}
    for run in dict.fromkeys(_RUNS.findall(_folded(" ".join(parts)))):
        if _is_paired(run):
            # Each character stands alone too: for one, "begins with" costs a hundred times as much.
            words.update(dict.fromkeys([*_pairs(run), *run]))
        else:
            words[run[:LONGEST_WORD]] = None
    return list(words)


def query_terms(text: str) -> tuple[Term, ...]:
    """What *text* asks for; an item must have all of it. Empty if there is no word in it.

    Quotes, operators and punctuation are only characters between words.
    """
    terms: dict[Term, None] = {}
    is_unfinished = text[-1:].isalnum()
    for run in _RUNS.findall(_folded(text)):
        words = (_pairs(run) or [run]) if _is_paired(run) else [run[:LONGEST_WORD]]
        terms.update((Term(word), None) for word in words)
    return _with_unfinished_last(tuple(terms)) if is_unfinished else tuple(terms)


def source_word(source_id: int) -> str:
    """The word all items of a source have, and no text: its sign is not part of any word."""
    return f"§{source_id}"


def _with_unfinished_last(terms: tuple[Term, ...]) -> tuple[Term, ...]:
    if not terms or len(terms[-1].word) < SHORTEST_BEGINNING:
        return terms
    return (*terms[:-1], Term(terms[-1].word, is_beginning=True))


def _is_paired(run: str) -> bool:
    return run >= _FIRST_PAIRED and _PAIRED_RUN.match(run) is not None


def _pairs(run: str) -> list[str]:
    return [run[start : start + 2] for start in range(len(run) - 1)]


def _folded(text: str) -> str:
    """Without case and accents: `Café` as `cafe`, full-width letters as plain ones."""
    if text.isascii():
        return text.lower()
    apart = unicodedata.normalize("NFKD", text.casefold())
    # Put together again, or Hangul and kana would be counted by their strokes.
    return unicodedata.normalize("NFC", _ACCENTS.sub("", apart)).casefold()


def _plain(content: str) -> str:
    text = _TAG.sub(" ", content[:LONGEST_MARKUP])
    return (unescape(text) if "&" in text else text)[:LONGEST_CONTENT]
