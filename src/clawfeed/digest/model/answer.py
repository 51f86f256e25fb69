"""Whether what a model said has the shape that was asked for; only plain text comes out."""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Final

from clawfeed.digest.model.untrusted_text import plainly_spelled, visible
from clawfeed.domain.errors import ModelError, Reason

LONGEST_HEADLINE = 160
LONGEST_SENTENCE = 500
MOST_SENTENCES = 3
LONGEST_LINE = 240
LINES = 3

# "(source 2)", "[1, 3]", "（来源1）": citations are ours to draw.
_CITED = re.compile(
    r"\s*[\[(（【](?:(?:sources?|src|refs?|来源|来源：|參考|参考|id)\s*[:：]?\s*)?"
    r"#?\d{1,2}(?:\s*[,，、;&-]\s*#?\d{1,2}){0,5}[\])）】]",
    re.IGNORECASE,
)
_BARE_CITED = re.compile(r"\((?:sources?|来源)[^()]{0,40}\)", re.IGNORECASE)
_EMPHASIS = re.compile(r"(?<!\w)(\*\*|__|\*|_|`)(?=\S)(.+?)(?<=\S)\1(?!\w)")
_LINK = re.compile(
    r"[a-z][a-z0-9+.-]{1,20}://|\bwww\.|\b(?:mailto|javascript|data|tel):|\]\s*\(|!\[|\]\[|"
    r"[\w.+-]+@[\w-]+\.\w|\b(?:[\w-]+\.)+[a-z]{2,}/",
    re.IGNORECASE,
)
_MARKUP = re.compile(
    r"<[/!?a-z][^>]*>?|&(?:#\d+|#x[0-9a-f]+|[a-z]{2,8});|```|\{\{|\}\}", re.IGNORECASE
)
# A name that mail and chat programs make a link of, or call somebody by. Both stand in headlines,
# too.
DOMAIN = re.compile(
    r"\b(?:[a-z0-9-]+\.)+(?:com|net|org|io|co|ai|dev|app|info|biz|cn|uk|de|fr|jp|ru|eu|us|me|tv|"
    r"xyz|top|site|online|shop|club|link|click|live|news|example|test|ly|gl|gd|gg|cc|ws|pw|tk|su|"
    r"to|sh|im|zip|mov|page|store|blog|cloud|icu|vip|pro|mobi|bot)\b(?!\.\w)"
    r"|(?<!\w)@\w{2,}",
    re.IGNORECASE,
)
# What an address may be written with instead, and is read as by whatever follows it.
_ADDRESS_SIGNS: Final = str.maketrans("．｡＠／", "..@/")
_BULLET = re.compile(r"^(?:[-*•·]|#{1,6}|\d{1,2}[.)])\s+")


@dataclass(frozen=True, slots=True, kw_only=True)
class SaidSentence:
    """A sentence of the model's, cleaned, with the ids it cites; *text* is "" if it was refused."""

    text: str
    cites: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SaidStory:
    headline: str
    sentences: tuple[SaidSentence, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SaidHeading:
    title: str
    lines: tuple[str, ...]


def read_story(text: str, ids: Collection[int], *, names: str = "") -> SaidStory:
    """The story in an answer. Raises `ModelError(UNREADABLE)` if its shape is another.

    A headline or sentence that cannot be shown is left empty: what is good of an answer stays.
    *names* holds the titles and publishers: a site's name that stands there is no link.
    """
    answer = _object(text)
    said = answer.get("sentences")
    if not isinstance(answer.get("headline"), str) or not isinstance(said, list) or not said:
        raise _shapeless()
    sentences = tuple(_sentence(each, ids, names) for each in said[:MOST_SENTENCES])
    return SaidStory(
        headline=plain(answer["headline"], LONGEST_HEADLINE, names), sentences=sentences
    )


def read_heading(text: str, *, names: str = "") -> SaidHeading:
    """The heading in an answer; raises like `read_story`. What cannot be shown is left empty."""
    answer = _object(text)
    lines = answer.get("summary")
    if not isinstance(answer.get("title"), str) or not isinstance(lines, list) or not lines:
        raise _shapeless()
    if not all(isinstance(line, str) for line in lines):
        raise _shapeless()
    return SaidHeading(
        title=plain(answer["title"], LONGEST_HEADLINE, names),
        lines=tuple(plain(line, LONGEST_LINE, names) for line in lines[:LINES]),
    )


def plain(text: str, longest: int, names: str = "") -> str:
    """One line of plain text, without citations; "" if it holds links or markup, or is too long."""
    if len(text) > 4 * longest or _LINK.search(text) or _MARKUP.search(text):
        return ""
    line = " ".join(visible(text).split())
    line = _BARE_CITED.sub("", _CITED.sub("", _EMPHASIS.sub(r"\2", _BULLET.sub("", line))))
    line = re.sub(r"\s+([.,;:!?。，；：！？])", r"\1", line).strip(
        " \"'“”" if line.count('"') == 1 else " "
    )
    read = plainly_spelled(line).translate(_ADDRESS_SIGNS)
    if not line or len(line) > longest or _LINK.search(read) or not re.search(r"\w", line):
        return ""
    known = names.casefold()
    return "" if any(site[0].casefold() not in known for site in DOMAIN.finditer(read)) else line


def _sentence(said: object, ids: Collection[int], names: str) -> SaidSentence:
    match said:
        case {"text": str(text), "cites": list(cites)}:
            known = dict.fromkeys(each for each in map(_id, cites) if each in ids)
            return SaidSentence(text=plain(text, LONGEST_SENTENCE, names), cites=tuple(known))
    raise _shapeless()


def _id(cited: object) -> int:
    """An id as models write it: 2, "2", "[2]"; -1 for anything else."""
    if isinstance(cited, bool):
        return -1
    if isinstance(cited, int):
        return cited
    digits = re.fullmatch(r"\[?\s*(\d{1,3})\s*\]?", cited) if isinstance(cited, str) else None
    return int(digits[1]) if digits else -1


def _object(text: str) -> dict[str, Any]:
    start = text.find("{")
    if start < 0:
        raise _shapeless()
    try:
        found, _ = _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        raise _shapeless() from None
    if not isinstance(found, dict):
        raise _shapeless()
    return found


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object that says a thing twice says nothing."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands twice")
    return found


def _no_number(text: str) -> None:
    raise ValueError(text)


_DECODER: Final = json.JSONDecoder(object_pairs_hook=_once, parse_constant=_no_number)


def _shapeless() -> ModelError:
    return ModelError(Reason.UNREADABLE, "The language model's answer has another shape.")
