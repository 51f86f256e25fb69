"""How often we knock at one host: few at a time, spaced, and not at all while it asks for rest."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from time import monotonic

from clawfeed.domain.because import Because, Rule
from clawfeed.domain.errors import EgressError, Reason
from clawfeed.domain.moments import iso
from clawfeed.domain.schedule.longest_wait import LONGEST_WAIT
from clawfeed.egress.retry_after import parse_reset, parse_retry_after

# A 429 that does not say for how long, and one that says less: a wait of 0 or 1 s would have us
# back at once, with all that queue here.
SHORTEST_REST = timedelta(minutes=1)
# Sites remembered at once; idle ones are forgotten long before.
MOST_SITES = 10_000
_JITTER = 0.5
# How the window's rest is spelled: by most, by X, and by the IETF's draft. X counts by endpoint;
# that one used-up window silences all of X for its minutes is the price of sharing it.
_WINDOWS = tuple(
    (f"{spelling}-remaining", f"{spelling}-reset")
    for spelling in ("x-ratelimit", "x-rate-limit", "ratelimit")
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Manners:
    """How we treat a site (S001-10: never a burst at one host). The defaults are those of feeds.

    *key* names a queue of its own, e.g. for a chat; without one a request queues at its site,
    with all others that allow as many at once. *obeys_cooldown* stays away while the site asks
    for rest, *notes_cooldown* lets an answer ask for it; who does not note it must obey by itself.
    """

    key: str = field(default="", repr=False)
    at_once: int = 2
    spacing: timedelta = timedelta(milliseconds=250)  # between starts; up to half as much again
    patience: timedelta = timedelta(seconds=30)  # in our own queue, before giving the turn back
    obeys_cooldown: bool = True
    notes_cooldown: bool = True


DEFAULT_MANNERS = Manners()


@dataclass(slots=True, kw_only=True)
class _Site:
    slots: asyncio.Semaphore
    users: int = 0  # inside or waiting; a site in use is never forgotten
    free_at: float = 0.0  # monotonic: when the next request may start
    started_at: float = -math.inf  # monotonic: when the last one really did
    rest_until: datetime | None = None


class Politeness:
    """The doormen of all sites. `enter` before each request, `leave` after it, always."""

    def __init__(
        self, manners: Manners, *, clock: Callable[[], datetime], dice: Callable[[], float]
    ) -> None:
        self._manners = manners
        self._clock = clock
        self._dice = dice
        self._sites: dict[str, _Site] = {}
        self._resting: set[str] = set()  # the few of them that may be at rest
        self._sweep_at = 1024

    async def enter(self, name: str, manners: Manners | None = None) -> str:
        """Wait for our turn at a site; returns the name of the queue, for `leave`.

        Raises a postponed `EgressError(BUSY)`, without asking the site, while it rests or when
        our own queue for it is too long; *wait* says how long.
        """
        manners = manners or self._manners
        queue = self._queue_name(name, manners)
        site = self._site(queue, manners.at_once)
        site.users += 1
        try:
            self._refuse_at_rest(name, manners)
            if site.slots.locked() or site.free_at > monotonic():
                await self._queue(name, site, manners)
            else:
                await site.slots.acquire()
                self._take_turn(site, manners)
                site.started_at = monotonic()
        except BaseException:
            site.users -= 1
            raise
        return queue

    def leave(self, queue: str) -> None:
        site = self._sites[queue]
        site.users -= 1
        site.slots.release()

    def heed(self, name: str, status: int, headers: Mapping[str, str]) -> None:
        """Learn from an answer whether the site wants rest."""
        if status not in (429, 503) and not any(name in headers for name, _ in _WINDOWS):
            return
        now = self._clock()
        wait = _asked_rest(status, headers, now)
        if wait is not None:
            self.impose(name, now + wait)

    def impose(self, name: str, until: datetime) -> None:
        """Let a site rest until then (24 h at most); never shortens a longer rest."""
        until = min(until, self._clock() + LONGEST_WAIT)
        site = self._site(name, self._manners.at_once)
        if site.rest_until is None or until > site.rest_until:
            site.rest_until = until
            self._resting.add(name)

    def hold_off(self, name: str, wait: timedelta) -> None:
        """Let the next request at a site start *wait* from now at the earliest."""
        site = self._site(name, self._manners.at_once)
        site.free_at = max(site.free_at, monotonic() + wait.total_seconds())

    def cooldowns(self) -> Mapping[str, datetime]:
        """The sites at rest, and until when. Asked at every poll: never a walk over all sites."""
        if not self._resting:
            return {}
        now = self._clock()
        sites = ((name, self._sites.get(name)) for name in self._resting)
        found = {
            name: site.rest_until
            for name, site in sites
            if site and site.rest_until is not None and site.rest_until > now
        }
        self._resting = set(found)
        return found

    def _queue_name(self, name: str, manners: Manners) -> str:
        """A site's own name for those with the usual manners; no other queue can have it."""
        if not manners.key and manners.at_once == self._manners.at_once:
            return name
        return f"{manners.at_once} at once: {manners.key or name}"

    async def _queue(self, name: str, site: _Site, manners: Manners) -> None:
        patience = manners.patience
        try:
            async with asyncio.timeout(patience.total_seconds()):
                await site.slots.acquire()
                await self._wait_spacing(name, site, manners)
        except TimeoutError:
            raise EgressError(
                Reason.BUSY,
                f"Too many requests of ours are waiting for {name}.",
                wait=patience,
                postponed=Because(Rule.HOST_QUEUE, {"host": name}),
            ) from None

    async def _wait_spacing(self, name: str, site: _Site, manners: Manners) -> None:
        try:
            # Whoever was ahead of us may have been told to stay away.
            self._refuse_at_rest(name, manners)
            await asyncio.sleep(self._take_turn(site, manners))
            # Of those that slept while the whole process stood still, all wake at once.
            while monotonic() < site.started_at + manners.spacing.total_seconds():  # noqa: ASYNC110 -- no event tells of time
                await asyncio.sleep(self._take_turn(site, manners))
            site.started_at = monotonic()
            self._refuse_at_rest(name, manners)
        except BaseException:
            site.slots.release()
            raise

    def _take_turn(self, site: _Site, manners: Manners) -> float:
        """Reserve the next start; returns the seconds until it."""
        now = monotonic()
        start = max(now, site.free_at, site.started_at + manners.spacing.total_seconds())
        if manners.spacing:
            spacing = manners.spacing.total_seconds()
            site.free_at = start + spacing * (1 + _JITTER * self._dice())
        return start - now

    def _refuse_at_rest(self, name: str, manners: Manners) -> None:
        site = self._sites.get(name) if manners.obeys_cooldown else None
        if site is None or site.rest_until is None:
            return
        left = site.rest_until - self._clock()
        if left <= timedelta(0):
            site.rest_until = None
            return
        raise EgressError(
            Reason.BUSY,
            f"{name} asked us to stay away until {site.rest_until:%H:%M} UTC.",
            wait=left,
            postponed=Because(Rule.HOST_RESTS, {"host": name, "until": iso(site.rest_until)}),
        )

    def _site(self, name: str, at_once: int) -> _Site:
        site = self._sites.get(name)
        if site is None:
            if len(self._sites) >= self._sweep_at:
                self._sweep()
            site = _Site(slots=asyncio.Semaphore(at_once))
            self._sites[name] = site
        return site

    def _sweep(self) -> None:
        """Forget idle sites; beyond the ceiling also those whose rest ends soonest."""
        now, moment = self._clock(), monotonic()
        idle = {name: site for name, site in self._sites.items() if not site.users}
        resting = [
            (site.rest_until, name)
            for name, site in idle.items()
            if site.rest_until is not None and site.rest_until > now
        ]
        keep = {name for _, name in sorted(resting)[-(MOST_SITES // 2) :]}
        for name, site in idle.items():
            if name not in keep and site.free_at <= moment:
                del self._sites[name]
        self._sweep_at = max(1024, min(2 * len(self._sites), len(self._sites) + MOST_SITES // 2))


def _asked_rest(status: int, headers: Mapping[str, str], now: datetime) -> timedelta | None:
    window = _window_rest(headers, now)
    if status not in (429, 503):
        return window
    asked = parse_retry_after(headers.get("retry-after"), now)
    if status == 503 and asked is None and window is None:
        # A house that is down, not one that is busy: the source's own back-off is enough.
        return None
    return max(asked or window or SHORTEST_REST, SHORTEST_REST)


def _window_rest(headers: Mapping[str, str], now: datetime) -> timedelta | None:
    for remaining, reset_at in _WINDOWS:
        reset = parse_reset(headers.get(reset_at), now)
        if reset and _is_zero(headers.get(remaining)):
            return reset
    return None


def _is_zero(remaining: str | None) -> bool:
    # Reddit writes "0.0".
    return remaining is not None and remaining.strip() in ("0", "0.0")
