"""The sources people follow, as rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from clawfeed.domain.errors import AlreadyExistsError, NotFoundError, RefusalCode
from clawfeed.domain.ids import JsonValue, SourceId, UserId
from clawfeed.domain.sources.item import fingerprint
from clawfeed.domain.sources.source import Source
from clawfeed.domain.sources.type_facts import KnownTypes, TypeFacts
from clawfeed.storage.database import (
    ConstraintError,
    Database,
    Insert,
    Row,
    SqlValue,
    Statement,
    Steps,
)
from clawfeed.storage.json_columns import read_object, to_json
from clawfeed.storage.sources.visibility_conditions import VISIBLE_SOURCE
from clawfeed.storage.sql_lists import in_list
from clawfeed.storage.timestamps import moment_or_none, seconds

COLUMNS = (
    "s.id, s.name, s.type, s.config, s.cursor, s.is_active, s.is_public, s.created_by, "
    "s.last_fetched_at, s.host, coalesce(s.param_key, CAST(s.id AS TEXT)) AS param_key"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class NewSource:
    """What it takes to follow something. *host* is whose door we will knock on.

    *is_auto_named*: nobody chose the name, so the source's own title may take its place.
    """

    type: str
    name: str
    config: Mapping[str, JsonValue] = field(default_factory=dict)
    host: str = ""
    is_public: bool = True
    created_by: UserId | None = None
    param_key: str | None = None  # a plug-in's parameter; None for every other source
    is_auto_named: bool = False

    @property
    def identity(self) -> str:
        """Equal for the same type and config, whatever the order of its keys."""
        return fingerprint(self.type, to_json(self.config))


class SourceStore:
    """Sources by themselves; when to poll them is `PollQueue`'s business."""

    def __init__(self, database: Database) -> None:
        self._db = database

    async def add(self, new: NewSource, *, now: datetime) -> Source:
        """Store *new*; raises `AlreadyExistsError` naming the one that is the same (S001-17)."""
        return await self._db.run(lambda: _add(new, now))

    async def add_many(self, new: Sequence[NewSource], *, now: datetime) -> dict[str, SourceId]:
        """Store all of *new* at once; returns the ids of those that were not there yet.

        The keys are `NewSource.identity`. Whatever meets an existing source is left out.
        """
        return await self._db.run(lambda: add_sources(new, now))

    async def find_twin(self, identities: Sequence[str], owner: UserId | None) -> Source | None:
        """The source that has one of *identities*: any public one, or the same person's own."""
        sql, params = same_as(identities, owner)
        rows = await self._db.read(
            f"SELECT {COLUMNS} FROM sources s WHERE {sql}",  # noqa: S608 -- our own constants
            params,
        )
        return to_source(rows[0]) if rows else None

    async def was_deleted(self, new: NewSource) -> bool:
        """Whether somebody had this very source and did not want it any more."""
        rows = await self._db.read(
            "SELECT id FROM sources "
            "WHERE type = :type AND identity = :identity AND is_deleted = 1 LIMIT 1",
            {"type": new.type, "identity": new.identity},
        )
        return bool(rows)

    async def get(self, source_id: SourceId) -> Source:
        """The source, or `NotFoundError`; a deleted one is not found."""
        rows = await self._db.read(
            f"SELECT {COLUMNS} FROM sources s WHERE s.id = :id AND s.is_deleted = 0",  # noqa: S608
            {"id": source_id},
        )
        if not rows:
            raise NotFoundError(f"there is no source {source_id}")
        return to_source(rows[0])

    async def list(self) -> list[Source]:
        """Every source that is not deleted, oldest first."""
        rows = await self._db.read(
            f"SELECT {COLUMNS} FROM sources s WHERE s.is_deleted = 0 ORDER BY s.id"  # noqa: S608
        )
        return [to_source(row) for row in rows]

    async def set_hosts(self, hosts: Mapping[str, str]) -> None:
        """Let all sources of these types wait for their host's turn; "" for nobody's."""
        await self._db.run(lambda: _set_hosts(hosts))


def _set_hosts(hosts: Mapping[str, str]) -> Steps[None]:
    for source_type, host in sorted(hosts.items()):
        yield Statement(
            "UPDATE sources SET host = :host WHERE type = :type AND host <> :host",
            {"host": host, "type": source_type},
        )


def add_sources(new: Sequence[NewSource], now: datetime) -> Steps[dict[str, SourceId]]:
    """Store those of *new* that are not there yet; their ids by `NewSource.identity`.

    The one way in: whatever meets a source that exists is left out.
    """
    at = seconds(now)
    unique = {each.identity: each for each in new}
    rows = yield Insert(
        table="sources",
        columns=(
            "name", "type", "config", "identity", "host", "is_public", "created_by", "param_key",
            "is_auto_named", "created_at", "updated_at",
        ),
        rows=[
            (
                each.name, each.type, to_json(each.config), identity, each.host,
                int(each.is_public), each.created_by, each.param_key,
                int(each.is_auto_named), at, at,
            )
            for identity, each in unique.items()
        ],
        returning="id, identity",
    )  # fmt: skip
    return {str(row["identity"]): SourceId(row["id"]) for row in rows}


def _add(new: NewSource, now: datetime) -> Steps[Source]:
    stored = yield from add_sources([new], now)
    if not stored:
        sql, params = same_as([new.identity], new.created_by)
        twins = yield Statement(f"SELECT {COLUMNS} FROM sources s WHERE {sql}", params)  # noqa: S608
        if twins:
            twin = to_source(twins[0])
            raise already_there(twin.type, twin.id, twin.name)
        raise ConstraintError("the same source came and went meanwhile")
    [row] = yield Statement(
        f"SELECT {COLUMNS} FROM sources s WHERE s.id = :id",  # noqa: S608
        {"id": stored[new.identity]},
    )
    return to_source(row)


def same_as(
    identities: Sequence[str], viewer: UserId | None, *, besides: int = 0
) -> tuple[str, dict[str, SqlValue]]:
    """Over `s`: the source with one of *identities* that *viewer* sees, and its parameters.

    A public one rather than their own.
    """
    names, params = in_list(identities)
    sql = f"s.identity IN ({names}) AND s.id <> :besides AND {VISIBLE_SOURCE}"
    return (
        f"{sql} ORDER BY s.is_public DESC, s.id LIMIT 1",
        {"user": viewer, "besides": besides, **params},
    )


def already_there(source_type: str, source_id: SourceId, name: str) -> AlreadyExistsError:
    """What is said to whoever adds what is there (S001-17)."""
    return AlreadyExistsError(
        f"{source_type} source {source_id} ({name}) is the same thing already",
        RefusalCode.SOURCE_THERE,
    )


def of_types(
    wanted: Iterable[str], types: KnownTypes[TypeFacts]
) -> tuple[str, dict[str, SqlValue]]:
    """The condition on `s` that it is of a *wanted* type, and its parameters.

    As `KnownTypes.key` reads them: rows of an older system have other names, in any case.
    """
    names, params = in_list([name for each in wanted for name in types.names(each)])
    return f"lower(replace(trim(s.type), '-', '_')) IN ({names})", params


def to_source(row: Row) -> Source:
    return Source(
        id=SourceId(row["id"]),
        name=row["name"],
        type=row["type"],
        config=read_object(row["config"]),
        cursor=read_object(row["cursor"]),
        is_active=bool(row["is_active"]),
        is_public=bool(row["is_public"]),
        created_by=None if row["created_by"] is None else UserId(row["created_by"]),
        last_fetched_at=moment_or_none(row["last_fetched_at"]),
        host=row["host"],
        param_key=row["param_key"],
    )
