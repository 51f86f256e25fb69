"""Who says it: feeds of one house are one voice, people on one platform are many."""

from __future__ import annotations

from typing import Final

from clawfeed.domain.editions.edition_item import EditionItem
from clawfeed.egress.registrable_domain import registrable

# Where everybody posts under one name: the author speaks, not the platform.
_PLATFORMS: Final = frozenset(
    {
        "bilibili.com", "bsky.app", "facebook.com", "github.com", "instagram.com", "linkedin.com",
        "mastodon.social", "medium.com", "news.ycombinator.com", "reddit.com", "t.me",
        "tiktok.com", "twitter.com", "v2ex.com", "weibo.com", "x.com", "ycombinator.com",
        "youtube.com", "zhihu.com",
    }
)  # fmt: skip


def publisher_of(item: EditionItem) -> str:
    """The registrable domain it is published under; on a platform, with who wrote it there.

    Of two sources that say nothing of who they are, each speaks for itself; so it is where the
    host is a bare address or a machine next door, which belong to no house.
    """
    own = f"source {item.source_id}"
    if not item.publisher or _is_nobodys(item.publisher):
        return own
    domain = house_of(item.publisher)
    if domain in _PLATFORMS:
        return f"{domain} {(item.author or own).strip().lower()}"
    return domain


def _is_nobodys(host: str) -> bool:
    return "." not in host or ":" in host or host.replace(".", "").isdecimal()


def house_of(host: str) -> str:
    """Whose host it is: `tech.example.co.uk` is `example.co.uk`."""
    return registrable(host.lower().rstrip("."))
