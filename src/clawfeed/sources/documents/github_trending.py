"""GitHub's trending page read into drafts. Runs in a parse worker."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

import turbohtml
from turbohtml import Element

from clawfeed.domain.ids import JsonValue
from clawfeed.domain.sources.item import Draft
from clawfeed.sources.documents.errors import UnreadableError
from clawfeed.sources.documents.html_sanitizer import escape_text
from clawfeed.sources.documents.parsed_drafts import LONGEST_NAME, ParsedDrafts
from clawfeed.sources.documents.text_cleaning import clean_text, decode, without_controls

HOME: Final = "https://github.com"
MOST_ROWS: Final = 100
LONGEST_ABOUT: Final = 1000
NONE_FOUND: Final = "have any trending repositories"
_NAME = re.compile(r"/([A-Za-z0-9_.-]{1,100})/([A-Za-z0-9_.-]{1,100})/?")
_NUMBER = re.compile(r"\d[\d,]{0,14}")
_GAINED = re.compile(r"(\d[\d,]{0,14})\s+stars?\s+(today|this week|this month)")


def parse_trending(body: bytes, _: Mapping[str, Any]) -> ParsedDrafts:
    """The repositories of the page, in its order (S001-6).

    A page without any is `UnreadableError`, unless it says itself that there are none: GitHub
    changes its markup without notice, and silence would pass for a quiet day.
    """
    text = without_controls(decode(body, ("utf-8",)))
    page = turbohtml.parse(text)
    rows = page.select("article.Box-row")[:MOST_ROWS]
    drafts = {draft.url: draft for row in rows if (draft := _draft(row))}
    if not drafts and NONE_FOUND not in text:
        raise UnreadableError("this page lists no repositories")
    return ParsedDrafts(drafts=tuple(drafts.values()), dropped=len(rows) - len(drafts))


def _draft(row: Element) -> Draft | None:
    link = row.select_one("h2 a[href]") or row.select_one("h1 a[href]")
    found = _NAME.fullmatch((link.attr("href") or "") if link else "")
    if not found:
        return None
    owner, name = found.groups()
    return Draft(
        title=f"{owner}/{name}",
        url=f"{HOME}/{owner}/{name}",
        author=owner,
        content=escape_text(_text(row.select_one("p"), LONGEST_ABOUT)),
        metadata=_metadata(row),
    )


def _metadata(row: Element) -> dict[str, JsonValue]:
    """Only what the row says: a repository without a language or new stars has no such key."""
    language = _text(row.select_one("[itemprop='programmingLanguage']"), LONGEST_NAME)
    metadata: dict[str, JsonValue] = {"language": language} if language else {}
    for key, path in (("stars", "stargazers"), ("forks", "forks")):
        number = _NUMBER.search(_text(row.select_one(f"a[href$='/{path}']"), LONGEST_NAME))
        if number:
            metadata[key] = _count(number[0])
    if gained := _GAINED.search(_text(row, 16 * LONGEST_ABOUT)[-LONGEST_ABOUT:]):
        metadata[f"stars_{gained[2].replace(' ', '_')}"] = _count(gained[1])
    return metadata


def _text(node: Element | None, limit: int) -> str:
    # The node's text is text already: "<100 ms" must not be read as a tag again.
    return clean_text(escape_text(node.text), limit) if node else ""


def _count(digits: str) -> int:
    return int(digits.replace(",", ""))
