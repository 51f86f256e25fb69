"""Which requests share one host's patience: the registrable domain.

By the Public Suffix List, with its private part: customers of one platform (`*.github.io`) are
strangers to each other, and one's 429 must not silence another. The list comes with its package
and is never fetched.
"""

from __future__ import annotations

from functools import cache, lru_cache

from publicsuffixlist import PublicSuffixList

from clawfeed.egress.url import ParsedUrl


def site_of(target: ParsedUrl) -> str:
    """The key under which this target's politeness is kept, e.g. `example.co.uk`.

    An IP literal and a bare intranet name are a site per port.
    """
    if target.address is not None or "." not in target.host:
        return f"{target.host}:{target.port}"
    return registrable(target.host)


@lru_cache(maxsize=4096)
def registrable(host: str) -> str:
    """The name its owner has registered; a suffix stands for itself.

    Given a name it made, it makes the same again.
    """
    return _suffixes().privatesuffix(host) or host


@cache
def _suffixes() -> PublicSuffixList:
    """Read on first use: it takes 50 ms, and most commands ask nobody."""
    return PublicSuffixList()
