"""A poll that somebody asked for: at once, but never within a rest the other side asked for."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from clawfeed.domain.because import Because, Rule, to_text
from clawfeed.domain.errors import Reason
from clawfeed.domain.sources.type_facts import TypeFacts
from clawfeed.storage.database import Statement, Steps
from clawfeed.storage.polling.host_cooldowns import RESTING_HOST, resting_params
from clawfeed.storage.sources.first_stats import FirstDate, make_rows
from clawfeed.storage.sources.source_row import SourceRow
from clawfeed.storage.timestamps import ONE_SECOND, moment, seconds

BECAUSE_ASKED = Because(Rule.ASKED)
BECAUSE_HOST_RESTS = Because(Rule.ASKED_HOST_RESTS)


@dataclass(frozen=True, slots=True, kw_only=True)
class PollRequested:
    """When a poll that was asked for can be expected, and why then."""

    at: datetime
    because: Because


def ask_for_poll(row: SourceRow, facts: TypeFacts, now: datetime) -> Steps[PollRequested]:
    """Make the source due now, or when its rest is over."""
    rest = yield from _rest_until(row, now)
    # Told as it is stored, so that this answer and all later ones name one date and one reason.
    due, because = (
        (rest, BECAUSE_HOST_RESTS) if rest else (seconds(now - ONE_SECOND), BECAUSE_ASKED)
    )
    yield Statement(
        """
        UPDATE source_stats SET next_due_at = :due, waiting_since = NULL, because = :because,
            updated_at = :now,
            backoff_until = CASE WHEN :rests = 1 THEN backoff_until END
        WHERE source_id = :id
        """,
        {
            "due": due,
            "because": to_text(because),
            "now": seconds(now),
            "rests": int(rest is not None),
            "id": row.id,
        },
    )
    if not row.has_stats and row.last_fetched_at is not None:
        # An older system fetched it and gave it no date: its interval would rule.
        yield from make_rows([FirstDate(row.id, facts, due)], now=now, because=because)
    return PollRequested(at=moment(due), because=because)


def _rest_until(row: SourceRow, now: datetime) -> Steps[float | None]:
    """Until when the other side asked us to stay away; None if it did not."""
    rows = yield Statement(
        f"SELECT until FROM host_cooldowns WHERE host = :host AND {RESTING_HOST}",  # noqa: S608 -- our own constant
        {"host": row.host, **resting_params(now)},
    )
    own = row.backoff_until or 0.0
    if own > seconds(now) and (rows or row.failure() is Reason.BUSY):
        return max(own, rows[0]["until"] if rows else own)
    return float(rows[0]["until"]) if rows else None
