"""A source that people follow, and what one poll of it can bring."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final, TypeAlias

from clawfeed.domain.because import Because
from clawfeed.domain.errors import Reason
from clawfeed.domain.ids import JsonValue, SourceId, UserId
from clawfeed.domain.sources.item import Draft

LONGEST_SOURCE_NAME: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """One thing to poll, fetched once for all who follow it.

    *cursor* is whatever its fetcher wants to remember between polls (an ETag, a `since_id`);
    it is stored in the same transaction as the items it belongs to.
    """

    id: SourceId
    type: str
    name: str
    config: Mapping[str, JsonValue] = field(default_factory=dict)
    cursor: Mapping[str, JsonValue] = field(default_factory=dict)
    is_active: bool = True
    is_public: bool = True
    created_by: UserId | None = None
    last_fetched_at: datetime | None = None
    host: str = ""  # whose door we knock on; polls there are spaced
    param_key: str = ""  # with the type, names its row of execution state (S003-1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Hints:
    """What the server said about when to come back. Hints only ever slow us down."""

    wait: timedelta | None = None  # Retry-After, Cache-Control max-age, Expires
    skip_hours: frozenset[int] = frozenset()  # UTC, RSS skipHours
    skip_days: frozenset[int] = frozenset()  # 0 = Monday, RSS skipDays
    moved_to: str | None = None  # where a permanent redirect led
    feed_wait: timedelta | None = None  # <ttl>, sy:*
    usual_gap: timedelta | None = None  # how often the feed publishes, where that is evident


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetched:
    """New content came; *drafts* may hold items we already know.

    *known* more were left out by their fetcher, which remembers that they are stored.
    """

    drafts: tuple[Draft, ...]
    known: int = 0
    cursor: Mapping[str, JsonValue] = field(default_factory=dict)
    hints: Hints = Hints()
    title: str = ""  # what the source calls itself, fit to be its name; mostly not told again
    warnings: tuple[str, ...] = ()  # dropped entries and the like, for `source check`


@dataclass(frozen=True, slots=True, kw_only=True)
class NotModified:
    """The server said nothing changed since our cursor."""

    hints: Hints = Hints()


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """The poll failed; the reason is stored, shown and scheduled.

    *reason* was decided where the failure arose (`failures`); nobody reads *detail* but people.
    *is_doubtful*: it may have been our own network.
    """

    reason: Reason
    detail: str
    status: int | None = None
    wait: timedelta | None = None
    is_doubtful: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Postponed:
    """Nobody was asked: our network is down, or the host rests. Not the source's fault.

    It keeps its place in the queue, and no counter moves. Without a *wait* it comes again soon.
    """

    because: Because
    detail: str
    wait: timedelta | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Skipped:
    """Nobody here can read this kind of source; not an error (S000-12)."""

    why: str


Outcome: TypeAlias = Fetched | NotModified | Failed | Postponed | Skipped
