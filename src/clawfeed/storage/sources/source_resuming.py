"""Sources due at once, their failures forgotten: resumed after a pause, or begun anew."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from clawfeed.domain.because import Because, Rule, to_text
from clawfeed.domain.errors import NotFoundError
from clawfeed.domain.ids import SourceId
from clawfeed.domain.sources.type_facts import KnownTypes, TypeFacts
from clawfeed.storage.database import Database, SqlValue, Statement, Steps
from clawfeed.storage.leases import REVOKED
from clawfeed.storage.sources.first_stats import FirstDate, make_rows
from clawfeed.storage.sources.status_conditions import PAUSED_BY_ERROR
from clawfeed.storage.sql_lists import chunks, in_list
from clawfeed.storage.timestamps import ONE_SECOND, seconds

BECAUSE_RESUMED = Because(Rule.RESUMED)


async def resume_sources(
    database: Database, ids: Iterable[SourceId], types: KnownTypes[TypeFacts], *, now: datetime
) -> None:
    """Forget the failures of these sources and let them be due now (S001-9).

    All or none: `NotFoundError` names the ids that do not exist.
    """
    wanted = list(dict.fromkeys(ids))
    await database.run(lambda: _resume_known(wanted, types, now))


async def resume_failed(
    database: Database, types: KnownTypes[TypeFacts], *, now: datetime
) -> list[SourceId]:
    """Resume every source that was paused by its failures; returns which those were."""
    return await database.run(lambda: _resume_failed(types, now))


def start_anew(
    ids: Sequence[SourceId], *, because: Because, now: datetime, is_revoked: bool = False
) -> Steps[None]:
    """Forget what failed and let these sources be due now, whatever their dates were.

    *is_revoked* takes them from whoever polls them: the result would belong elsewhere.
    """
    for some in chunks(ids):
        names, params = in_list(some)
        yield Statement(
            f"""
            UPDATE sources SET fetch_error_count = 0, last_error = NULL, updated_at = :now
            WHERE id IN ({names})
            """,  # noqa: S608 -- only parameter names
            {"now": seconds(now), **params},
        )
        yield Statement(
            f"""
            UPDATE source_stats SET fail_count = 0, backoff_until = NULL, last_error = NULL,
                next_due_at = :due, waiting_since = NULL, because = :because, updated_at = :now
                {", " + REVOKED if is_revoked else ""}
            WHERE source_id IN ({names})
            """,  # noqa: S608 -- our own constant, and parameter names
            {
                "due": seconds(now - ONE_SECOND),
                "because": to_text(because),
                "now": seconds(now),
                **params,
            },
        )


def resumed(ids: Sequence[SourceId], types: KnownTypes[TypeFacts], now: datetime) -> Steps[None]:
    """Let these sources be polled again, as new ones are (S001-9)."""
    yield from start_anew(ids, because=BECAUSE_RESUMED, now=now)
    for some in chunks(ids):
        names, params = in_list(some)
        yield Statement(
            f"UPDATE sources SET is_active = 1, paused_because = NULL WHERE id IN ({names})",  # noqa: S608
            params,
        )
        yield from _plan_unplanned(names, params, types, now)


def _plan_unplanned(
    names: str, params: dict[str, SqlValue], types: KnownTypes[TypeFacts], now: datetime
) -> Steps[None]:
    """Give a date to those that were fetched but have none, as rows of an older system do.

    Without one their interval since the last fetch would rule. The never fetched are due anyway.
    """
    rows = yield Statement(
        f"""
        SELECT id, type FROM sources
        WHERE has_stats = 0 AND last_fetched_at IS NOT NULL AND id IN ({names}) ORDER BY id
        """,  # noqa: S608 -- only parameter names
        params,
    )
    due = seconds(now - ONE_SECOND)
    dates = [FirstDate(SourceId(row["id"]), types.facts(row["type"]), due) for row in rows]
    yield from make_rows(dates, now=now, because=BECAUSE_RESUMED)


def _resume_known(
    wanted: list[SourceId], types: KnownTypes[TypeFacts], now: datetime
) -> Steps[None]:
    found: set[int] = set()
    for some in chunks(wanted):
        names, params = in_list(some)
        rows = yield Statement(
            f"SELECT id FROM sources WHERE is_deleted = 0 AND id IN ({names})",  # noqa: S608
            params,
        )
        found |= {int(row["id"]) for row in rows}
    missing = [str(id_) for id_ in wanted if id_ not in found]
    if missing:
        raise NotFoundError(f"there is no source {', '.join(missing)}; nothing was resumed")
    yield from resumed(wanted, types, now)


def _resume_failed(types: KnownTypes[TypeFacts], now: datetime) -> Steps[list[SourceId]]:
    rows = yield Statement(
        f"SELECT s.id FROM sources s WHERE s.is_deleted = 0 AND {PAUSED_BY_ERROR} ORDER BY s.id"  # noqa: S608
    )
    failed = [SourceId(row["id"]) for row in rows]
    yield from resumed(failed, types, now)
    return failed
