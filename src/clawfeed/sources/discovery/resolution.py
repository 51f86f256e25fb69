"""What would this address be? One poll of it, and nothing is stored."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from datetime import timedelta
from ipaddress import ip_address

from clawfeed.domain.errors import NO_CONNECTION, InvalidInputError, Reason, SourceError
from clawfeed.domain.ids import UserId
from clawfeed.domain.sources.item import Draft
from clawfeed.domain.sources.source import Fetched
from clawfeed.domain.sources.source_secrets import mask_url
from clawfeed.sources.discovery.discoverer import PREVIEW_ITEMS, Discoverer, Discovery
from clawfeed.sources.discovery.new_source import SourceRequest, prepare, to_candidate
from clawfeed.sources.registry import Fetchers
from clawfeed.storage.sources.sources import NewSource

# Somebody is waiting: less than a collector would take, more than a slow host needs.
LONGEST_POLL = timedelta(seconds=30)
UNREACHABLE = "it cannot be reached from here."


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolvedSource:
    """A source as it could be added, and a few of its items; *note* says why there are none."""

    new: NewSource
    found: Discovery
    preview: tuple[Draft, ...]
    note: str | None = None


class UnreadableAddressError(InvalidInputError):
    """What is at *shown* cannot be read; *reason* is nothing that tells of our own network."""

    def __init__(self, shown: str, reason: Reason, detail: str) -> None:
        super().__init__(f"{shown} cannot be read: {detail}")
        self.shown, self.reason, self.detail = shown, reason, detail


async def resolve(
    url: str, discoverer: Discoverer, fetchers: Fetchers, *, owner: UserId | None = None
) -> ResolvedSource:
    """Poll *url* once; `UnreadableAddressError` says, without its secrets, why not.

    *owner* is as whom one's own X is read (S001-20).
    """
    try:
        async with asyncio.timeout(LONGEST_POLL.total_seconds()):
            with discoverer.as_guest():
                return await _resolve(url, discoverer, fetchers, owner)
    except SourceError as error:
        raise UnreadableAddressError(_shown(url), *_told(error)) from error
    except TimeoutError as error:
        raise UnreadableAddressError(_shown(url), Reason.UNREACHABLE, UNREACHABLE) from error


async def _resolve(
    url: str, discoverer: Discoverer, fetchers: Fetchers, owner: UserId | None
) -> ResolvedSource:
    found = await discoverer.discover(url)
    # An address is no name, and may hold a token.
    name = "" if "://" in found.title else found.title
    new = prepare(fetchers, SourceRequest(type=found.kind, config=found.config, name=name))
    if found.preview:
        return ResolvedSource(new=new, found=found, preview=found.preview[:PREVIEW_ITEMS])
    fetcher = fetchers.get(new.type)
    if fetcher is None:
        return ResolvedSource(new=new, found=found, preview=(), note=fetchers.why_absent(new.type))
    result = await fetcher.fetch(to_candidate(replace(new, created_by=owner)))
    drafts = result.drafts[:PREVIEW_ITEMS] if isinstance(result, Fetched) else ()
    return ResolvedSource(new=new, found=found, preview=drafts)


def _told(error: SourceError) -> tuple[Reason, str]:
    """Why it cannot be read, but not what our own network looks like.

    Whether a name leads to a private address, to a closed port or nowhere is one sentence: else
    whoever may add sources could map what lies behind us, name by name.
    """
    if error.reason in NO_CONNECTION or (error.refused and _is_name(error.refused[0])):
        return Reason.UNREACHABLE, UNREACHABLE
    return error.reason, error.detail


def _is_name(host: str) -> bool:
    """Whether only the DNS knows where it leads; an address says it itself."""
    try:
        ip_address(host.strip("[]"))
    except ValueError:
        return True
    return False


def _shown(url: str) -> str:
    """Enough of what was asked for to recognise it."""
    return mask_url(url)[:200]
