"""A cadence that a person sets, or leaves to the history again (S004-5)."""

from __future__ import annotations

from datetime import datetime
from typing import Final, Literal, TypeAlias, get_args

from clawfeed.domain.because import Because, Rule, to_text
from clawfeed.domain.errors import InvalidInputError, NotFoundError, RefusalCode
from clawfeed.domain.ids import SourceId
from clawfeed.domain.schedule.cadence import Cadence, read_habits
from clawfeed.domain.sources.type_facts import KnownTypes, TypeFacts
from clawfeed.storage.database import Statement, Steps
from clawfeed.storage.leases import REVOKED
from clawfeed.storage.sources.first_stats import FirstDate, make_rows
from clawfeed.storage.timestamps import ONE_SECOND, seconds

# What people may ask for; `auto` is what the history teaches.
CadenceChoice: TypeAlias = Literal["P0", "P1", "P2", "P3", "P4", "P5", "P6", "auto"]
CHOICES: Final[tuple[CadenceChoice, ...]] = get_args(CadenceChoice)


def read_cadence_choice(text: str) -> CadenceChoice:
    """What somebody wrote, in any case; `InvalidInputError` says what there is."""
    for choice in CHOICES:
        if text.strip().casefold() == choice.casefold():
            return choice
    raise InvalidInputError(
        f"{text!r} is no cadence: one of {', '.join(CHOICES)}", RefusalCode.CHOICE_MISSING
    )


def apply_cadence_choice(
    source_id: SourceId, choice: CadenceChoice, types: KnownTypes[TypeFacts], now: datetime
) -> Steps[None]:
    """Let the source follow *choice* from now on; `NotFoundError` if there is no such source.

    A change makes it due, unless it backs off or is paused: its next date then follows the new
    cadence. A poll under way is dropped, as it would write the old one back.
    """
    yield from _make_row(source_id, types, now)
    [row] = yield Statement(
        "SELECT frequency_type, cadence, is_cadence_set FROM source_stats WHERE source_id = :id",
        {"id": source_id},
    )
    cadence = _learned(row["frequency_type"]) if choice == "auto" else choice
    is_set = int(choice != "auto")
    if (row["cadence"], row["is_cadence_set"]) == (cadence, is_set):
        return
    yield Statement(
        f"""
        UPDATE source_stats SET cadence = :cadence, is_cadence_set = :is_set, updated_at = :now,
            because = CASE WHEN {_KEEPS_ITS_DATE} THEN because ELSE :because END,
            next_due_at = CASE WHEN {_KEEPS_ITS_DATE} THEN next_due_at ELSE :due END,
            {REVOKED}
        WHERE source_id = :id
        """,  # noqa: S608 -- our own constants
        {
            "cadence": cadence,
            "is_set": is_set,
            "because": to_text(Because(Rule.SETTINGS_CHANGED)),
            "due": seconds(now - ONE_SECOND),
            "now": seconds(now),
            "id": source_id,
        },
    )


# Paused, resting, or due already.
_KEEPS_ITS_DATE = "next_due_at IS NULL OR backoff_until > :now OR next_due_at <= :due"


def _learned(frequency_type: str | None) -> Cadence | None:
    frequency = read_habits(frequency_type, None, None, None).frequency
    return frequency.cadence if frequency else None


def _make_row(source_id: SourceId, types: KnownTypes[TypeFacts], now: datetime) -> Steps[None]:
    """A source that was never polled has no row yet; it is due as before."""
    rows = yield Statement(
        "SELECT type, has_stats, last_fetched_at FROM sources WHERE id = :id AND is_deleted = 0",
        {"id": source_id},
    )
    if not rows:
        raise NotFoundError(f"there is no source {source_id}")
    if not rows[0]["has_stats"]:
        facts = types.facts(str(rows[0]["type"]))
        date = FirstDate(source_id, facts, float(rows[0]["last_fetched_at"] or 0))
        yield from make_rows([date], now=now)
