"""Bridges: services that show X as feeds (RSSHub, RSS-Bridge, Nitter), named by URL templates.

A template holds `{handle}` (serves accounts), `{list_id}` (lists), `{query}` (searches) or, with
none of these, `{type}` (`bookmarks`, `favorites`, `foryou` of whoever the bridge is logged in as).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Final
from urllib.parse import quote

from clawfeed.domain.errors import Reason, SourceError
from clawfeed.domain.sources.item import Draft
from clawfeed.domain.sources.source import Fetched, NotModified
from clawfeed.sources.documents.text_cleaning import shorten
from clawfeed.sources.x.config import HANDLE, NUMBER
from clawfeed.sources.x.posts import LONGEST_TITLE
from clawfeed.sources.x.settings import WANTED_NAMES

MOST_TRIED: Final = 3
# Stands for the account where an address does not tell it: `/i/status/1`, `/i/web/status/1`.
NAMELESS_ACCOUNT: Final = "i"
_POST = re.compile(
    rf"https?://[^/?#]+/(?:({HANDLE})|i/web)/status(?:es)?/({NUMBER.pattern})(?:[/?#].*)?"
)


def bridge_urls(templates: tuple[str, ...], values: Mapping[str, str]) -> list[str]:
    """The feeds to try for *values* (`type`, and what is wanted of it), in the given order."""
    return [_filled(t, values) for t in templates if _serves(t, values)][:MOST_TRIED]


def _serves(template: str, values: Mapping[str, str]) -> bool:
    """Whether it holds exactly the names we have: a list's bridge shows no account."""
    holds = {name for name in WANTED_NAMES if f"{{{name}}}" in template}
    wanted = {name for name in WANTED_NAMES if name in values}
    return holds == wanted and (bool(wanted) or "{type}" in template)


def _filled(template: str, values: Mapping[str, str]) -> str:
    for name, value in values.items():
        template = template.replace(f"{{{name}}}", quote(value, safe=""))
    return template


def as_posts(result: Fetched | NotModified) -> Fetched | NotModified:
    """A bridge's items as the API would have brought them, so that their keys are the same.

    Bridges tell of their troubles in a feed, too ("RSS reader not yet whitelisted!"): what is no
    post is left out, and where nothing remains `SourceError(UNREADABLE)` leads to the next one.
    """
    if isinstance(result, NotModified) or not result.drafts:
        return result
    posts = tuple(post for draft in result.drafts if (post := _as_post(draft)))
    if not posts:
        raise SourceError(Reason.UNREADABLE, "the bridge sent a feed without posts")
    # Whether a bridge still shows posts is told by all it shows, so each poll reads all of it.
    cursor = {name: value for name, value in result.cursor.items() if name != "keys"}
    warnings = (*result.warnings, *_left_out(result, posts))
    return replace(result, drafts=posts, cursor=cursor, warnings=warnings)


def _left_out(result: Fetched, posts: tuple[Draft, ...]) -> tuple[str, ...]:
    others = len(result.drafts) - len(posts)
    return (f"{others} of {len(result.drafts)} entries are no posts",) if others else ()


def _as_post(draft: Draft) -> Draft | None:
    found = _POST.fullmatch(draft.url or "")
    if not found:
        return None
    user, number = found.groups()
    return replace(
        draft,
        title=shorten(draft.title, LONGEST_TITLE),
        url=f"https://x.com/{user or NAMELESS_ACCOUNT}/status/{number}",
        author=draft.author if user in (None, NAMELESS_ACCOUNT) else f"@{user}",
        metadata={**draft.metadata, "tweet_id": number},
    )
