"""What was stored today, counted as it is stored, so that nobody has to add it up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from clawfeed.domain.because import Because
from clawfeed.domain.ids import SourceId, UserId
from clawfeed.domain.polling.storage_quota import Quota, Quotas, fitting, over_person, over_source
from clawfeed.storage.database import SqlValue, Statement, Steps

SECONDS_PER_DAY = 86_400
_SOURCE, _PERSON = "source", "person"
_ALWAYS = "1 = 1"
_NOBODY_ELSES = """
    NOT EXISTS (SELECT 1 FROM user_subscriptions u
        WHERE u.source_id = :source_id AND u.user_id <> :person)
    AND EXISTS (SELECT 1 FROM users p WHERE p.id = :person AND p.role <> 'admin')
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Keeper:
    """Who answers for what is stored: a source, and its owner.

    For a public one an ordinary owner does while nobody else follows it: else whoever makes all of
    theirs public has no quota. One that others follow is theirs too, and nobody silences it by
    filling a quota of their own.
    """

    source: SourceId
    owner: UserId | None
    quotas: Quotas
    is_public: bool = False


def count_stored(
    keeper: Keeper, sizes: Sequence[int], at: float
) -> Steps[tuple[int, Because | None]]:
    """Count items of these *sizes* as stored today; how many fit, and why not all.

    One statement where all fit, which is nearly always.
    """
    limits = _limits(keeper)
    if not limits or not sizes:
        return len(sizes), None
    day = int(at // SECONDS_PER_DAY)
    rows = yield _add(keeper, day, len(sizes), sum(sizes))
    fits, why = len(sizes), None
    for row in rows:
        (_, quota), because = limits[str(row["whose"])], _WHY[str(row["whose"])]
        items, size = int(row["items"]) - len(sizes), int(row["bytes"]) - sum(sizes)
        count = fitting(sizes, quota, items=items, size=size)
        if count < fits:
            fits, why = count, because(keeper.quotas)
    if why:
        yield _add(keeper, day, fits - len(sizes), sum(sizes[:fits]) - sum(sizes))
    return fits, why


def _limits(keeper: Keeper) -> dict[str, tuple[int, Quota]]:
    limits: dict[str, tuple[int, Quota]] = {}
    if keeper.quotas.source != Quota():
        limits[_SOURCE] = (keeper.source, keeper.quotas.source)
    if keeper.owner is not None and keeper.quotas.person != Quota():
        limits[_PERSON] = (keeper.owner, keeper.quotas.person)
    return limits


def _add(keeper: Keeper, day: int, items: int, size: int) -> Statement:
    limits = _limits(keeper)
    figures = "CAST(:day AS BIGINT), CAST(:items AS BIGINT), CAST(:bytes AS BIGINT)"
    when = {_SOURCE: _ALWAYS, _PERSON: _NOBODY_ELSES if keeper.is_public else _ALWAYS}
    # Parameters, and no numbers in the text: each text is prepared once.
    lines = " UNION ALL ".join(
        f"SELECT '{whose}', CAST(:{whose} AS BIGINT), {figures} WHERE {when[whose]}"
        for whose in sorted(limits)
    )
    params: dict[str, SqlValue] = {"day": day, "items": items, "bytes": size}
    params |= {whose: id_ for whose, (id_, _) in limits.items()}
    if keeper.is_public and _PERSON in limits:
        params["source_id"] = keeper.source
    return Statement(
        f"""
        INSERT INTO stored_today (whose, id, day, items, bytes) {lines}
        ON CONFLICT (whose, id) DO UPDATE SET
            items = excluded.items
                + CASE WHEN stored_today.day = excluded.day THEN stored_today.items ELSE 0 END,
            bytes = excluded.bytes
                + CASE WHEN stored_today.day = excluded.day THEN stored_today.bytes ELSE 0 END,
            day = excluded.day
        RETURNING whose, items, bytes
        """,
        params,
    )


_WHY = {_SOURCE: over_source, _PERSON: over_person}
