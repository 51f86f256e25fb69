"""A Reddit listing read into drafts. Runs in a parse worker."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from clawfeed.domain.ids import JsonValue
from clawfeed.domain.sources.item import Draft
from clawfeed.sources.documents.errors import UnreadableError
from clawfeed.sources.documents.html_sanitizer import escape_text, sanitize_html
from clawfeed.sources.documents.json_values import (
    count_of,
    moment_of,
    object_of,
    read_json,
    text_of,
)
from clawfeed.sources.documents.parsed_drafts import LONGEST_NAME, LONGEST_TITLE, ParsedDrafts
from clawfeed.sources.documents.size_limit import bounded
from clawfeed.sources.documents.text_cleaning import clean_text, clean_url

HOME: Final = "https://www.reddit.com/"
POST: Final = "t3"


def parse_listing(body: bytes, options: Mapping[str, Any]) -> ParsedDrafts:
    """The first `options["limit"]` posts that are not pinned to the top (S001-6)."""
    children = object_of(object_of(read_json(body)).get("data")).get("children")
    if not isinstance(children, list):
        raise UnreadableError("this is not a Reddit listing")
    now = datetime.fromisoformat(options["now"])
    posts = [object_of(c.get("data")) for c in map(object_of, children) if c.get("kind") == POST]
    if children and not posts:
        raise UnreadableError("this Reddit listing holds no posts")
    loose = [post for post in posts if not post.get("stickied")][: options["limit"]]
    drafts, shortened = bounded(draft for post in loose if (draft := _draft(post, now)))
    return ParsedDrafts(drafts=drafts, dropped=len(loose) - len(drafts), shortened=shortened)


def _draft(post: Mapping[str, Any], now: datetime) -> Draft | None:
    title = _plain(post.get("title"), LONGEST_TITLE)
    if not title:
        return None
    permalink = _permalink(text_of(post.get("permalink")))
    link = "" if post.get("is_self") else text_of(post.get("url")).strip()
    return Draft(
        title=title,
        url=(clean_url(HOME, link) if link else None) or permalink,
        author=_plain(post.get("author"), LONGEST_NAME) or None,
        content=_content(post),
        published_at=moment_of(post.get("created_utc"), now),
        metadata=_metadata(post, permalink),
    )


def _plain(value: object, limit: int) -> str:
    """We ask for raw_json: titles are text, so "<T>" is no tag and "&amp;" no entity."""
    return clean_text(escape_text(text_of(value)), limit)


def _permalink(path: str) -> str | None:
    """The post's own page; only ever on Reddit, whatever "//elsewhere/" says."""
    if not path.startswith("/") or path.startswith(("//", "/\\")):
        return None
    return clean_url(HOME, path)


def _content(post: Mapping[str, Any]) -> str:
    markup = text_of(post.get("selftext_html")).strip()
    return sanitize_html(markup, HOME) if markup else escape_text(text_of(post.get("selftext")))


def _metadata(post: Mapping[str, Any], permalink: str | None) -> dict[str, JsonValue]:
    votes = count_of(post.get("ups"))
    metadata: dict[str, JsonValue] = {
        "upvotes": count_of(post.get("score")) or 0 if votes is None else votes,
        "comments": count_of(post.get("num_comments")) or 0,
        "subreddit": _plain(post.get("subreddit"), LONGEST_NAME),
        "permalink": permalink,
    }
    if flair := _plain(post.get("link_flair_text"), LONGEST_NAME):
        metadata["flair"] = flair
    return metadata
