"""Polls as lines of a page, and how a poll went that somebody just asked for."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Final

from clawfeed.domain.errors import Reason
from clawfeed.rendering.safe_text import one_line
from clawfeed.storage.polling.poll_history import PollRow
from clawfeed.web.frame.address_numbers import number_or_none
from clawfeed.web.frame.page_rendering import PageView

# A host that rests may keep us waiting for longer; then the date of the next poll says so.
POLL_PATIENCE: Final = timedelta(minutes=2)
# An address with an old question in it is a bookmark, or somebody who comes back.
QUESTION_LIFETIME: Final = timedelta(minutes=15)
FAILED: Final = "failed"
PUT_OFF: Final = frozenset({"postponed", "skipped"})


class WatchState(StrEnum):
    """How far a poll is; each has its text, `watch.CODE`."""

    WAITING = "waiting"
    LATE = "late"
    CAME = "came"
    NOTHING_NEW = "nothing_new"
    FAILED = "failed"
    PUT_OFF = "put_off"


@dataclass(frozen=True, slots=True, kw_only=True)
class Watch:
    """A poll that was *asked* for at a second of the epoch, and what is known of it."""

    asked: int
    state: WatchState
    inserted: int = 0
    cause: str | None = None

    @property
    def is_waiting(self) -> bool:
        return self.state is WatchState.WAITING

    @property
    def kind(self) -> str:
        """The colour of its notice."""
        is_good = self.state in {WatchState.CAME, WatchState.NOTHING_NEW}
        return "good" if is_good else "" if self.is_waiting else "warn"


def watch_of(latest: PollRow | None, asked: str, now: datetime) -> Watch | None:
    """How the poll *asked* for went, if the address names a moment that was just now."""
    moment = number_or_none(asked)
    if moment is None:
        return None
    waited = now.timestamp() - moment
    if not -1 <= waited <= QUESTION_LIFETIME.total_seconds():
        return None
    if latest is None or latest.started_at < moment:
        is_late = waited > POLL_PATIENCE.total_seconds()
        state = WatchState.LATE if is_late else WatchState.WAITING
        return Watch(asked=moment, state=state)
    return Watch(asked=moment, state=_state(latest), inserted=latest.inserted, cause=_cause(latest))


def _state(poll: PollRow) -> WatchState:
    if poll.outcome == FAILED:
        return WatchState.FAILED
    if poll.outcome in PUT_OFF:
        return WatchState.PUT_OFF
    return WatchState.CAME if poll.inserted else WatchState.NOTHING_NEW


def poll_line(page: PageView, poll: PollRow) -> dict[str, object]:
    return {
        "at": page.when(datetime.fromtimestamp(poll.started_at, UTC)),
        "seconds": max(0.0, poll.finished_at - poll.started_at),
        "is_failed": poll.outcome == FAILED,
        "is_put_off": poll.outcome in PUT_OFF,
        "inserted": poll.inserted,
        "cause": _cause(poll),
        "detail": one_line(poll.detail or ""),
    }


def _cause(poll: PollRow) -> str | None:
    """The key of what failed, in plain words."""
    return f"cause.{poll.reason}" if poll.reason in set(Reason) else None
