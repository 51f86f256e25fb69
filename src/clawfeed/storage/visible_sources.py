"""Sources as one person sees them: what is public, and what is theirs.

A foreign private source is not there, for admins neither: every query here is scoped by the viewer
(T13, T18).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple, cast

from clawfeed.domain.errors import NotFoundError, Reason
from clawfeed.domain.ids import JsonValue, SourceId, UserId
from clawfeed.domain.source import Source
from clawfeed.domain.source_status import Status, next_fetch_at, status_of
from clawfeed.domain.source_type import KnownTypes, TypeFacts
from clawfeed.storage.config_table import OVERRIDES
from clawfeed.storage.database import Database, Dialect, Row, SqlValue, Statement, Steps
from clawfeed.storage.json_columns import read_object
from clawfeed.storage.last_error import LastError, read_last_error
from clawfeed.storage.source_visibility import OWN, PUBLIC, VISIBLE, Operator, Viewer
from clawfeed.storage.sources import COLUMNS, of_types, to_source
from clawfeed.storage.sql_lists import in_list

# Of the sources that may repeat one, as many are compared; spelling alone makes no more.
MOST_ALIKE = 500


class SourceScope(StrEnum):
    """Which of the visible sources are listed."""

    ALL = "all"
    PUBLIC = "public"
    OWN = "own"
    SUBSCRIBED = "subscribed"


class SourceRow(NamedTuple):
    """One row, as the database has it: a list of 200 costs a third of what values would.

    Moments are seconds, flags 0/1 and *config* and *last_error* are texts.
    """

    id: SourceId
    name: str
    type: str
    config: str
    host: str
    param_key: str | None
    is_active: int
    is_public: int
    created_by: UserId | None
    last_fetched_at: float | None
    fetch_error_count: int
    last_error: str | None
    paused_because: str | None
    has_stats: int
    created_at: float
    last_check_at: float | None
    next_due_at: float | None
    backoff_until: float | None
    cadence: str | None
    is_cadence_set: int | None
    subscribers: int
    is_subscribed: int
    # The intervals by type that an admin set, as JSON; None where the query did not ask for them.
    overrides: str | None

    def is_of(self, viewer: UserId | None) -> bool:
        return viewer is not None and self.created_by == viewer

    def interval_rows(self) -> dict[str, str]:
        """*overrides* as rows of the `config` table."""
        pairs = (str(each).partition("=") for each in json.loads(self.overrides or "[]"))
        return {key: value for key, _, value in pairs}

    def settings(self) -> dict[str, JsonValue]:
        """*config* read; empty if it is damaged."""
        return read_object(self.config)

    def error(self) -> LastError | None:
        """`last_error` read (S001-9); None while there is none."""
        return read_last_error(self.last_error)

    def failure(self) -> Reason | None:
        """Why the last poll failed, as it was stored; None if it did not, or nobody knows."""
        error = self.error()
        return error.reason if error else None

    def status(self, now: float) -> Status:
        return status_of(
            is_active=bool(self.is_active),
            paused_because=self.paused_because,
            needs_login=self.failure() is Reason.AUTH_REQUIRED,
            is_backing_off=(self.backoff_until or 0.0) > now,
            was_polled=self.was_polled,
        )

    @property
    def was_polled(self) -> bool:
        return bool(self.last_check_at or self.last_fetched_at)

    def next_fetch_at(self, every: float) -> float | None:
        """The date that is told; *every* is its interval in seconds."""
        return next_fetch_at(
            is_active=bool(self.is_active),
            was_polled=self.was_polled,
            last_fetched_at=self.last_fetched_at,
            next_due_at=self.next_due_at,
            backoff_until=self.backoff_until,
            every=every,
        )

    @property
    def other_subscribers(self) -> int:
        """How many follow it besides the viewer."""
        return self.subscribers - self.is_subscribed


class PollRow(NamedTuple):
    """One line of a source's fetch log."""

    id: int
    planned_at: float | None
    started_at: float
    finished_at: float
    outcome: str
    inserted: int
    reason: str | None
    detail: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFilter:
    """Which part of the list is wanted; *after* is the id that the part before ended with."""

    which: SourceScope = SourceScope.ALL
    text: str = ""
    type: str = ""
    limit: int = 100
    after: int = 0


_COLUMNS = """
    s.id, s.name, s.type, s.config, s.host, s.param_key, s.is_active, s.is_public,
        s.created_by, s.last_fetched_at, s.fetch_error_count, s.last_error, s.paused_because,
        s.has_stats, s.created_at, t.last_check_at, t.next_due_at, t.backoff_until,
        t.cadence, t.is_cadence_set,
        (SELECT count(*) FROM user_subscriptions u WHERE u.source_id = s.id) AS subscribers,
        (SELECT count(*) FROM user_subscriptions u
         WHERE u.source_id = s.id AND u.user_id = :user) AS is_subscribed
"""
_JOINED = "FROM sources s LEFT JOIN source_stats t ON t.source_id = s.id"
_ROWS = f"{_JOINED} WHERE {VISIBLE}"
_LINES = f"SELECT {_COLUMNS}, NULL AS overrides {_ROWS}"
_EVERY_LINE = f"SELECT {_COLUMNS}, NULL AS overrides {_JOINED} WHERE s.is_deleted = 0"
_WHICH = {
    SourceScope.ALL: "",
    SourceScope.PUBLIC: f" AND {PUBLIC}",
    SourceScope.OWN: f" AND {OWN}",
    SourceScope.SUBSCRIBED: (
        " AND EXISTS (SELECT 1 FROM user_subscriptions u"
        " WHERE u.source_id = s.id AND u.user_id = :user)"
    ),
}
# Never the config: whoever may search it could find out its secrets letter by letter.
_TEXT = """
    AND (lower(s.name) LIKE :text ESCAPE '!' OR lower(s.type) LIKE :text ESCAPE '!'
         OR s.host LIKE :text ESCAPE '!' OR s.name LIKE :as_written ESCAPE '!')
"""


class VisibleSources:
    """Reads sources for a viewer; None is a stranger, who sees the public ones."""

    def __init__(self, database: Database, types: KnownTypes[TypeFacts]) -> None:
        self._db = database
        self.types = types

    async def get(self, source_id: SourceId, viewer: UserId | None) -> SourceRow:
        """The source, or `NotFoundError`: it is not there, or not for this viewer."""
        sql = f"{_with_overrides(self._db.dialect)} AND s.id = :id"
        return _first(await self._db.read(sql, {"id": source_id, "user": viewer}), source_id)

    async def find(self, identities: Sequence[str], viewer: UserId) -> SourceRow | None:
        """The source that has one of these identities; a public one rather than their own."""
        sql, params = _twin_query(identities, viewer)
        lines = _to_lines(await self._db.read(sql, params))
        return lines[0] if lines else None

    async def polls(
        self, source_id: SourceId, *, limit: int, before: tuple[float, int] | None = None
    ) -> list[PollRow]:
        """The latest polls of a source, newest first; those *before* a start and its id."""
        started, id_ = before or (float("inf"), 0)
        rows = await self._db.read(
            """
            SELECT id, planned_at, started_at, finished_at, outcome, inserted, reason, detail
            FROM fetch_log
            WHERE source_id = :source AND (started_at < :started
                OR (started_at = :started AND id < :id))
            ORDER BY started_at DESC, id DESC LIMIT :limit
            """,
            {"source": source_id, "started": started, "id": id_, "limit": limit},
        )
        return [PollRow._make(_values(row)) for row in rows]

    async def alike(self, source: Source, needle: str) -> list[Source]:
        """Older sources that *source* may repeat: of its type, at its host, with *needle*.

        Only those its owner sees. What the candidates have in common is for the caller to judge.
        """
        of_type, params = of_types([source.type], self.types)
        rows = await self._db.read(
            f"""
            SELECT {COLUMNS} FROM sources s
            WHERE {VISIBLE}
              AND s.id < :id AND s.host IN (:host, '')
              AND {of_type}
              AND lower(s.config) LIKE :needle ESCAPE '!'
            ORDER BY s.id LIMIT :most
            """,  # noqa: S608 -- our own constant and parameter names
            {
                "user": source.created_by,
                "id": source.id,
                "host": source.host,
                "needle": _like(needle.lower()),
                "most": MOST_ALIKE,
                **params,
            },
        )
        return [to_source(row) for row in rows]

    async def list(self, viewer: UserId | None, source_filter: SourceFilter) -> list[SourceRow]:
        """The sources wished for, oldest first, with the counts of their subscribers."""
        sql, params = _query(_with_overrides(self._db.dialect), viewer, source_filter, self.types)
        return _to_lines(await self._db.read(sql, params))


def one(source_id: SourceId, viewer: Viewer) -> Steps[SourceRow]:
    """`VisibleSources.get` inside a transaction; the operator finds every source."""
    if isinstance(viewer, Operator):
        lines, user = _EVERY_LINE, None
    else:
        lines, user = _LINES, viewer
    rows = yield Statement(f"{lines} AND s.id = :id", {"id": source_id, "user": user})
    return _first(rows, source_id)


def twin(
    identities: Sequence[str], viewer: UserId | None, *, besides: SourceId
) -> Steps[SourceRow | None]:
    """`VisibleSources.find` inside a transaction, for another source than *besides*."""
    sql, params = _twin_query(identities, viewer, besides)
    rows = yield Statement(sql, params)
    return _to_lines(rows)[0] if rows else None


def _with_overrides(dialect: Dialect) -> str:
    """`_LINES` and the intervals that rule them, so that a page is one crossing."""
    rows = f"SELECT {dialect.as_json}(key || '=' || value) FROM config WHERE {OVERRIDES}"  # noqa: S608
    return f"SELECT {_COLUMNS}, coalesce(({rows}), '[]') AS overrides {_ROWS}"


def _query(
    lines: str, viewer: UserId | None, source_filter: SourceFilter, known: KnownTypes[TypeFacts]
) -> tuple[str, dict[str, SqlValue]]:
    sql = f"{lines}{_WHICH[source_filter.which]} AND s.id > :after"
    params: dict[str, SqlValue] = {
        "user": viewer,
        "after": source_filter.after,
        "limit": source_filter.limit,
    }
    if source_filter.text:
        # As written, too: SQLite's lower() knows the letters of English only.
        sql += _TEXT
        params |= {
            "text": _like(source_filter.text.lower()),
            "as_written": _like(source_filter.text),
        }
    if source_filter.type:
        of_type, names = of_types([source_filter.type], known)
        sql += f" AND {of_type}"
        params |= names
    return f"{sql} ORDER BY s.id LIMIT :limit", params


def _twin_query(
    identities: Sequence[str], viewer: UserId | None, besides: int = 0
) -> tuple[str, dict[str, SqlValue]]:
    names, params = in_list(identities)
    sql = f"{_LINES} AND s.identity IN ({names}) AND s.id <> :besides"
    return (
        f"{sql} ORDER BY s.is_public DESC, s.id LIMIT 1",
        {"user": viewer, "besides": besides, **params},
    )


def _like(text: str) -> str:
    """A pattern for texts that hold *text*, whatever is in it."""
    plain = text.replace("!", "!!").replace("%", "!%").replace("_", "!_")
    return f"%{plain}%"


def _first(rows: list[Row], source_id: SourceId) -> SourceRow:
    if not rows:
        raise NotFoundError(f"there is no source {source_id}")
    return _to_lines(rows)[0]


def _to_lines(rows: list[Row]) -> list[SourceRow]:
    return [SourceRow._make(_values(row)) for row in rows]


def _values(row: Row) -> Iterable[Any]:
    """Both drivers' rows give their values in the order of the SELECT."""
    return cast("Iterable[Any]", row)
