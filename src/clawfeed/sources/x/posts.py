"""Posts of the X API as items: the API's JSON read into values, text into safe HTML."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import orjson

from clawfeed.domain.errors import Reason, SourceError
from clawfeed.domain.html_entities import unescape
from clawfeed.domain.ids import JsonValue
from clawfeed.domain.sources.item import Draft
from clawfeed.sources.documents.html_sanitizer import escape_text
from clawfeed.sources.documents.text_cleaning import (
    clamp_date,
    clean_text,
    clean_url,
    without_controls,
)
from clawfeed.sources.x.config import HANDLE, NUMBER

LONGEST_TITLE: Final = 140
LONGEST_NAME: Final = 100
# The longest text X sells is 25,000 characters.
LONGEST_POST: Final = 30_000
MOST_LINKS: Final = 50
# What is asked for and read below. No expansion of quoted posts: each would be a read.
_POST_FIELDS: Final = (
    "author_id", "created_at", "entities", "lang", "note_tweet", "public_metrics",
    "referenced_tweets",
)  # fmt: skip
FIELDS: Final = {
    "tweet.fields": ",".join(_POST_FIELDS),
    "expansions": "author_id",
    "user.fields": "name,username",
}
METRICS: Final = ("like_count", "retweet_count", "reply_count", "quote_count")

_HANDLE = re.compile(HANDLE)


@dataclass(frozen=True, slots=True, kw_only=True)
class PostPage:
    """One answer of a timeline: *ids* in its order, newest first."""

    drafts: tuple[Draft, ...]
    ids: tuple[str, ...]
    cost: int  # posts X counts as read, readable to us or not
    next_token: str


def read_json(body: bytes) -> Mapping[str, Any]:
    """The object in *body*; `SourceError(UNREADABLE)` for anything else."""
    try:
        value = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise SourceError(Reason.UNREADABLE, "the X API sent no JSON") from error
    if not isinstance(value, dict):
        raise _odd()
    return value


def read_page(value: Mapping[str, Any], *, handle: str, now: datetime) -> PostPage:
    """A timeline's page. X reports what it withholds (deleted, protected) beside the posts."""
    data = value.get("data")
    if data is None and not isinstance(value.get("meta"), dict):
        raise refusal(value)
    posts = [] if data is None else data
    if not isinstance(posts, list):
        raise _odd()
    users = _users(value)
    readable = [post for post in posts if isinstance(post, dict) and _id(post.get("id"))]
    meta = value.get("meta")
    token = meta.get("next_token") if isinstance(meta, dict) else None
    return PostPage(
        drafts=tuple(to_draft(post, users, handle=handle, now=now) for post in readable),
        ids=tuple(_id(post["id"]) for post in readable),
        cost=len(posts),
        next_token=token if isinstance(token, str) and len(token) <= 512 else "",
    )


def read_user_id(value: Mapping[str, Any]) -> str:
    """The id in a user's answer; `SourceError` if there is no such user."""
    data = value.get("data")
    number = _id(data.get("id")) if isinstance(data, dict) else ""
    if not number:
        raise refusal(value)
    return number


def refusal(value: Mapping[str, Any]) -> SourceError:
    """Why a successful answer holds nothing: X says so with status 200."""
    errors = value.get("errors")
    first = errors[0] if isinstance(errors, list) and errors else None
    if not isinstance(first, dict):
        return _odd()
    if str(first.get("type", "")).endswith("resource-not-found"):
        return SourceError(Reason.GONE, "X knows no such account or list", status=404)
    return SourceError(Reason.REFUSED, "X does not show this account or list", status=403)


def to_draft(
    post: Mapping[str, Any], users: Mapping[str, str], *, handle: str, now: datetime
) -> Draft:
    """One post as an item, with its own signals in the metadata (S001-3)."""
    user = users.get(str(post.get("author_id"))) or handle
    number = _id(post["id"])
    text, links = _words(post)
    title = clean_text(html.escape(_first_line(text, links)), LONGEST_TITLE)
    return Draft(
        title=title or f"A post by @{user or 'someone'}",
        url=f"https://x.com/{user or 'i'}/status/{number}",
        author=f"@{user}" if user else None,
        content=_markup(text, links),
        published_at=clamp_date(_date(post.get("created_at")), now),
        metadata=_metadata(post, number),
    )


def _words(post: Mapping[str, Any]) -> tuple[str, dict[str, str]]:
    """The full text, and what its shortened links stand for. X escapes `&`, `<` and `>`."""
    note = post.get("note_tweet")
    full = note if isinstance(note, dict) and isinstance(note.get("text"), str) else post
    text = full.get("text")
    plain = unescape(text[:LONGEST_POST]) if isinstance(text, str) else ""
    return without_controls(plain).strip(), _links(full.get("entities"))


def _links(entities: object) -> dict[str, str]:
    found: dict[str, str] = {}
    urls = entities.get("urls") if isinstance(entities, dict) else None
    for link in (urls if isinstance(urls, list) else [])[:MOST_LINKS]:
        short = link.get("url") if isinstance(link, dict) else None
        target = link.get("unwound_url") or link.get("expanded_url") if short else None
        url = clean_url("https://x.com/", target) if isinstance(target, str) else None
        if isinstance(short, str) and 8 < len(short) < 64 and url:
            found[short] = url
    return found


def _first_line(text: str, links: Mapping[str, str]) -> str:
    """The first line that says something besides a link."""
    for line in text.splitlines():
        for short in links:
            line = line.replace(short, "")  # noqa: PLW2901 - the line without its links
        if line.strip():
            return line
    return ""


def _markup(text: str, links: Mapping[str, str]) -> str:
    """The text as HTML: everything escaped, shortened links led to where they point."""
    if not links:
        return escape_text(text).replace("\n", "<br>")
    parts = re.split("(" + "|".join(map(re.escape, links)) + ")", text)
    marked = (_anchor(links[part]) if part in links else escape_text(part) for part in parts)
    return "".join(marked).replace("\n", "<br>")


def _anchor(url: str) -> str:
    shown = url.partition("//")[2][:60]
    rel = "noopener noreferrer nofollow"
    return f'<a href="{html.escape(url)}" rel="{rel}">{html.escape(shown)}</a>'


def _metadata(post: Mapping[str, Any], number: str) -> dict[str, JsonValue]:
    metadata: dict[str, JsonValue] = {"tweet_id": number, "is_retweet": _is_retweet(post)}
    metrics = post.get("public_metrics")
    if isinstance(metrics, dict):
        counts = {name: metrics.get(name) for name in METRICS}
        metadata |= {n: c for n, c in counts.items() if type(c) is int and 0 <= c < 2**53}
    lang = clean_text(post["lang"], 16) if isinstance(post.get("lang"), str) else ""
    if lang:
        metadata["lang"] = lang
    return metadata


def _is_retweet(post: Mapping[str, Any]) -> bool:
    referenced = post.get("referenced_tweets")
    others = referenced if isinstance(referenced, list) else []
    return any(isinstance(other, dict) and other.get("type") == "retweeted" for other in others)


def _users(value: Mapping[str, Any]) -> dict[str, str]:
    """Names by id."""
    includes = value.get("includes")
    users = includes.get("users") if isinstance(includes, dict) else None
    return {
        str(user.get("id")): user["username"]
        for user in (users if isinstance(users, list) else [])
        if isinstance(user, dict)
        and isinstance(user.get("username"), str)
        and _HANDLE.fullmatch(user["username"])
    }


def _id(value: object) -> str:
    return value if isinstance(value, str) and NUMBER.fullmatch(value) else ""


def _date(value: object) -> datetime | None:
    try:
        return datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None


def _odd() -> SourceError:
    return SourceError(Reason.UNREADABLE, "the X API sent an answer we cannot make sense of")
