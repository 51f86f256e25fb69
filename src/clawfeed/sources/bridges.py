"""Bridges: services that show X as feeds (RSSHub, RSS-Bridge, Nitter), named by URL templates.

A template holds `{handle}` (serves accounts), `{list_id}` (lists) or, with neither, `{type}`
(`bookmarks`, `favorites`, `foryou` of whoever the bridge is logged in as).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from clawfeed.domain.item import Draft
from clawfeed.domain.source import Fetched, NotModified
from clawfeed.sources.text import shorten
from clawfeed.sources.x_posts import LONGEST_TITLE

MOST_TRIED: Final = 3
_NAMES: Final = ("handle", "list_id")
_POST = re.compile(r"https?://[^/?#]+/([A-Za-z0-9_]{1,15})/status/([0-9]{1,20})(?:[/?#].*)?")


def bridge_urls(templates: tuple[str, ...], values: Mapping[str, str]) -> list[str]:
    """The feeds to try for *values* (`type`, and `handle` or `list_id`), in the given order."""
    return [_filled(t, values) for t in templates if _serves(t, values)][:MOST_TRIED]


def _serves(template: str, values: Mapping[str, str]) -> bool:
    """Whether it holds exactly the names we have: a list's bridge shows no account."""
    holds = {name for name in _NAMES if f"{{{name}}}" in template}
    wanted = {name for name in _NAMES if name in values}
    return holds == wanted and (bool(wanted) or "{type}" in template)


def _filled(template: str, values: Mapping[str, str]) -> str:
    for name, value in values.items():
        template = template.replace(f"{{{name}}}", value)
    return template


def as_posts(result: Fetched | NotModified) -> Fetched | NotModified:
    """A bridge's items as the API would have brought them, so that their keys are the same."""
    if isinstance(result, NotModified):
        return result
    return replace(result, drafts=tuple(map(_as_post, result.drafts)))


def _as_post(draft: Draft) -> Draft:
    found = _POST.fullmatch(draft.url or "")
    title = shorten(draft.title, LONGEST_TITLE)
    if not found:
        return replace(draft, title=title)
    user, number = found.groups()
    return replace(
        draft,
        title=title,
        url=f"https://x.com/{user}/status/{number}",
        author=f"@{user}",
        metadata={**draft.metadata, "tweet_id": number},
    )
