"""Sources as one person sees them: what is public, and what is theirs.

A foreign private source is not there, for admins neither: every query here is scoped by the viewer
(T13, T18).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from clawfeed.domain.errors import NotFoundError
from clawfeed.domain.ids import SourceId, UserId
from clawfeed.domain.sources.source import Source
from clawfeed.domain.sources.type_facts import KnownTypes, TypeFacts
from clawfeed.storage.config_table import AS_TEXT, OVERRIDES
from clawfeed.storage.database import (
    Database,
    Dialect,
    Row,
    SqlValue,
    Statement,
    Steps,
    in_order,
)
from clawfeed.storage.sources.source_row import SourceRow
from clawfeed.storage.sources.sources import COLUMNS, of_types, same_as, to_source
from clawfeed.storage.sources.status_conditions import FAILING, FINE, PAUSED_BY_HAND
from clawfeed.storage.sources.visibility_conditions import (
    OWN_SOURCE,
    PUBLIC_SOURCE,
    VISIBLE_SOURCE,
    Operator,
    Viewer,
)
from clawfeed.storage.sql_lists import in_list

# Of the sources that may repeat one, as many are compared; spelling alone makes no more.
MOST_ALIKE = 500


class SourceScope(StrEnum):
    """Which of the visible sources are listed."""

    ALL = "all"
    PUBLIC = "public"
    OWN = "own"
    SUBSCRIBED = "subscribed"


class SourceOrder(StrEnum):
    """Which come first. Only the oldest can be paged by id; the others are by *skip*."""

    OLDEST = "oldest"
    NAME = "name"
    MOST_FOLLOWED = "most_followed"
    FAILING = "failing"


class SourceHealth(StrEnum):
    """How those are doing that are listed: each is fine, failing or paused by somebody."""

    ANY = "any"
    FINE = "fine"
    FAILING = "failing"
    PAUSED = "paused"


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFilter:
    """Which part of the list is wanted; *after* is the id that the part before ended with.

    *ids* leaves only those of them that the viewer may see.
    """

    which: SourceScope = SourceScope.ALL
    text: str = ""
    type: str = ""
    limit: int = 100
    after: int = 0
    order: SourceOrder = SourceOrder.OLDEST
    health: SourceHealth = SourceHealth.ANY
    skip: int = 0
    ids: tuple[SourceId, ...] | None = None


_HEALTH = {
    SourceHealth.ANY: "",
    SourceHealth.FINE: f" AND {FINE}",
    SourceHealth.FAILING: f" AND {FAILING}",
    SourceHealth.PAUSED: f" AND {PAUSED_BY_HAND}",
}
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
_ROWS = f"{_JOINED} WHERE {VISIBLE_SOURCE}"
_LINES = f"SELECT {_COLUMNS}, NULL AS overrides {_ROWS}"
_EVERY_LINE = f"SELECT {_COLUMNS}, NULL AS overrides {_JOINED} WHERE s.is_deleted = 0"
_WHICH = {
    SourceScope.ALL: "",
    SourceScope.PUBLIC: f" AND {PUBLIC_SOURCE}",
    SourceScope.OWN: f" AND {OWN_SOURCE}",
    SourceScope.SUBSCRIBED: (
        " AND EXISTS (SELECT 1 FROM user_subscriptions u"
        " WHERE u.source_id = s.id AND u.user_id = :user)"
    ),
}
_ORDERS = {
    SourceOrder.OLDEST: "s.id",
    SourceOrder.NAME: "lower(s.name), s.id",
    SourceOrder.MOST_FOLLOWED: "subscribers DESC, s.id",
    SourceOrder.FAILING: (
        f"CASE WHEN {FAILING} THEN 0 WHEN {PAUSED_BY_HAND} THEN 1 ELSE 2 END, lower(s.name), s.id"
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
        sql, params = same_as(identities, viewer)
        lines = _to_lines(await self._db.read(f"{_LINES} AND {sql}", params))
        return lines[0] if lines else None

    async def alike(self, source: Source, needle: str) -> list[Source]:
        """Older sources that *source* may repeat: of its type, at its host, with *needle*.

        Only those its owner sees. What the candidates have in common is for the caller to judge.
        """
        of_type, params = of_types([source.type], self.types)
        rows = await self._db.read(
            f"""
            SELECT {COLUMNS} FROM sources s
            WHERE {VISIBLE_SOURCE}
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
        """The sources wished for, with the counts of their subscribers."""
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
    sql, params = same_as(identities, viewer, besides=besides)
    rows = yield Statement(f"{_LINES} AND {sql}", params)
    return _to_lines(rows)[0] if rows else None


def _with_overrides(dialect: Dialect) -> str:
    """`_LINES` and the intervals that rule them, so that a page is one crossing."""
    rows = f"SELECT {dialect.as_json}({AS_TEXT}) FROM config WHERE {OVERRIDES}"  # noqa: S608
    return f"SELECT {_COLUMNS}, coalesce(({rows}), '[]') AS overrides {_ROWS}"


def _query(
    lines: str, viewer: UserId | None, source_filter: SourceFilter, known: KnownTypes[TypeFacts]
) -> tuple[str, dict[str, SqlValue]]:
    health = _HEALTH[source_filter.health]
    sql = f"{lines}{_WHICH[source_filter.which]}{health} AND s.id > :after"
    params: dict[str, SqlValue] = {
        "user": viewer,
        "after": source_filter.after,
        "limit": source_filter.limit,
        "skip": source_filter.skip,
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
    if source_filter.ids is not None:
        listed, ids = in_list(source_filter.ids, "i")
        sql += f" AND s.id IN ({listed or 'NULL'})"
        params |= ids
    order = _ORDERS[source_filter.order]
    return f"{sql} ORDER BY {order} LIMIT :limit OFFSET :skip", params


def _like(text: str) -> str:
    """A pattern for texts that hold *text*, whatever is in it."""
    plain = text.replace("!", "!!").replace("%", "!%").replace("_", "!_")
    return f"%{plain}%"


def _first(rows: list[Row], source_id: SourceId) -> SourceRow:
    if not rows:
        raise NotFoundError(f"there is no source {source_id}")
    return _to_lines(rows)[0]


def _to_lines(rows: list[Row]) -> list[SourceRow]:
    return [SourceRow._make(in_order(row)) for row in rows]
