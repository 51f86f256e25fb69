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
_TRUE_CONDITION = "1 = 1"
_NOBODY_ELSES = """
    NOT EXISTS (SELECT 1 FROM user_subscriptions u
        WHERE u.source_id = :source_id AND u.user_id <> :person)
    AND EXISTS (SELECT 1 FROM users p WHERE p.id = :person AND p.role <> 'admin')
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotaOwner:
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
    quota_owner: QuotaOwner, sizes: Sequence[int], at: float
) -> Steps[tuple[int, Because | None]]:
    """Count items of these *sizes* as stored today; how many fit, and why not all.

    One statement where all fit, which is nearly always.
    """
    limits = _limits(quota_owner)
    if not limits or not sizes:
        return len(sizes), None
    day = int(at // SECONDS_PER_DAY)
    rows = yield _add(quota_owner, day, len(sizes), sum(sizes))
    fits, why = len(sizes), None
    for row in rows:
        (_, quota), because = limits[str(row["whose"])], _BECAUSE_BY_OWNER[str(row["whose"])]
        items, size = int(row["items"]) - len(sizes), int(row["bytes"]) - sum(sizes)
        count = fitting(sizes, quota, items=items, size=size)
        if count < fits:
            fits, why = count, because(quota_owner.quotas)
    if why:
        yield _add(quota_owner, day, fits - len(sizes), sum(sizes[:fits]) - sum(sizes))
    return fits, why


def _limits(quota_owner: QuotaOwner) -> dict[str, tuple[int, Quota]]:
    limits: dict[str, tuple[int, Quota]] = {}
    if quota_owner.quotas.source != Quota():
        limits[_SOURCE] = (quota_owner.source, quota_owner.quotas.source)
    if quota_owner.owner is not None and quota_owner.quotas.person != Quota():
        limits[_PERSON] = (quota_owner.owner, quota_owner.quotas.person)
    return limits


def _add(quota_owner: QuotaOwner, day: int, items: int, size: int) -> Statement:
    limits = _limits(quota_owner)
    figures = "CAST(:day AS BIGINT), CAST(:items AS BIGINT), CAST(:bytes AS BIGINT)"
    when = {
        _SOURCE: _TRUE_CONDITION,
        _PERSON: _NOBODY_ELSES if quota_owner.is_public else _TRUE_CONDITION,
    }
    # Parameters, and no numbers in the text: each text is prepared once.
    lines = " UNION ALL ".join(
        f"SELECT '{whose}', CAST(:{whose} AS BIGINT), {figures} WHERE {when[whose]}"
        for whose in sorted(limits)
    )
    params: dict[str, SqlValue] = {"day": day, "items": items, "bytes": size}
    params |= {whose: id_ for whose, (id_, _) in limits.items()}
    if quota_owner.is_public and _PERSON in limits:
        params["source_id"] = quota_owner.source
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


_BECAUSE_BY_OWNER = {_SOURCE: over_source, _PERSON: over_person}
