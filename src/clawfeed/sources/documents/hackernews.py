"""Hacker News' JSON read into drafts. Runs in a parse worker."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from itertools import islice
from typing import Any, Final

from clawfeed.domain.sources.item import Draft
from clawfeed.sources.documents.errors import UnreadableError
from clawfeed.sources.documents.html_sanitizer import sanitize_html
from clawfeed.sources.documents.json_values import count_of, moment_of, read_json, text_of
from clawfeed.sources.documents.parsed_drafts import LONGEST_NAME, LONGEST_TITLE, ParsedDrafts
from clawfeed.sources.documents.text_cleaning import clean_text, clean_url

DISCUSSION: Final = "https://news.ycombinator.com/item?id="
# Not comments and poll options: they have an id of the same kind.
STORIES: Final = frozenset({"story", "job", "poll"})


def parse_story_ids(body: bytes, options: Mapping[str, Any]) -> list[int]:
    """The first `options["limit"]` ids of a list, each once, in its order."""
    data = read_json(body)
    if not isinstance(data, list):
        raise UnreadableError("this is not a list of story ids")
    numbers = (number for entry in data if (number := count_of(entry)) is not None and number > 0)
    ids = list(islice(dict.fromkeys(numbers), options["limit"]))
    if data and not ids:
        raise UnreadableError("this list holds no story ids")
    return ids


def parse_story(body: bytes, options: Mapping[str, Any]) -> ParsedDrafts:
    """The story `options["id"]`; no draft if it is dead, deleted, not there yet or no story."""
    data = read_json(body)
    if data is None:  # the real API lists some ids a moment before their items exist
        return ParsedDrafts()
    if not isinstance(data, dict):
        raise UnreadableError("this is not a story")
    if data.get("dead") or data.get("deleted") or text_of(data.get("type")) not in STORIES:
        return ParsedDrafts()
    draft = _draft(data, options["id"], datetime.fromisoformat(options["now"]))
    return ParsedDrafts(drafts=(draft,) if draft else (), dropped=0 if draft else 1)


def _draft(data: Mapping[str, Any], number: int, now: datetime) -> Draft | None:
    # The documentation calls titles HTML, but tags never occur: "vector<bool>" is a title.
    title = clean_text(text_of(data.get("title")).replace("<", "&lt;"), LONGEST_TITLE)
    if not title:
        return None
    discussion = f"{DISCUSSION}{number}"
    link = text_of(data.get("url")).strip()
    author = clean_text(text_of(data.get("by")), LONGEST_NAME) or None
    return Draft(
        title=title,
        url=(clean_url(discussion, link) if link else None) or discussion,
        author=author,
        content=sanitize_html(text_of(data.get("text")), discussion),
        published_at=moment_of(data.get("time"), now),
        metadata={
            "score": count_of(data.get("score")) or 0,
            "comments": count_of(data.get("descendants")) or 0,
            "by": author,
            "hn_id": number,
            "discussion": discussion,
        },
    )
