"""The scopes of readers' editions: of which sources, in which language, at which hour."""

from __future__ import annotations

from datetime import datetime, timedelta

from clawfeed.domain.editions.edition_scope import (
    ReaderScope,
    ReaderSettings,
    may_inherit,
    scope_of,
)
from clawfeed.domain.ids import SourceId, UserId
from clawfeed.storage.database import Database, Row, SqlValue, Statement, Steps
from clawfeed.storage.editions.chosen_settings import chosen_settings
from clawfeed.storage.editions.edition_json import from_text, to_text
from clawfeed.storage.editions.stories import inherit_stories
from clawfeed.storage.sources.visibility_conditions import VISIBLE_SOURCE
from clawfeed.storage.timestamps import seconds

# What a new scope knows of the one before: a month is told from its weeks.
REMEMBERED_SPAN = timedelta(days=35)

_FOLLOWED = f"""
SELECT s.id, s.is_public FROM user_subscriptions u JOIN sources s ON s.id = u.source_id
WHERE u.user_id = :user AND {VISIBLE_SOURCE} ORDER BY s.id
"""  # noqa: S608 -- our own constant
_OWN_SETTINGS = """
SELECT EXISTS (SELECT 1 FROM interests WHERE user_id = :user) AS interests,
    EXISTS (SELECT 1 FROM story_votes WHERE user_id = :user) AS votes,
    EXISTS (
        SELECT 1 FROM marks
        WHERE user_id = :user AND status IN ('liked', 'saved', 'disliked')
    ) AS marks
"""


class ReaderScopes:
    """Each reader's scope. *defaults* are how editions are wanted by who said nothing."""

    def __init__(self, database: Database, defaults: ReaderSettings) -> None:
        self._db, self._defaults = database, defaults

    async def settings(self, reader: UserId) -> ReaderSettings:
        return await chosen_settings(self._db, reader) or self._defaults

    async def scope(self, reader: UserId) -> ReaderScope:
        """The scope *reader* has now; without sources it has an empty list."""
        sources = await self._db.read(_FOLLOWED, {"user": reader})
        [own] = await self._db.read(_OWN_SETTINGS, {"user": reader})
        return scope_of(
            reader,
            [SourceId(row["id"]) for row in sources],
            await self.settings(reader),
            has_private_source=any(not row["is_public"] for row in sources),
            is_personal=any(own[name] for name in ("interests", "votes", "marks")),
        )

    async def remember(self, reader: UserId, scope: ReaderScope, *, now: datetime) -> None:
        """Let *scope*, if it is new, know what *reader* was told before."""
        await self._db.run(lambda: save_scope(reader, scope, now))


async def scope_named(database: Database, name: str) -> ReaderScope | None:
    """What stood behind the scope when it was last used."""
    rows = await database.read("SELECT * FROM edition_scopes WHERE scope = :scope", {"scope": name})
    return _to_scope(rows[0]) if rows else None


def save_scope(reader: UserId, scope: ReaderScope, now: datetime) -> Steps[None]:
    """Sources of a shared scope never change; a personal one follows its reader.

    What once had a private source has its headlines for as long as it remembers what it told.
    """
    known = yield Statement(
        "SELECT scope FROM edition_scopes WHERE scope = :scope", {"scope": scope.name}
    )
    params: dict[str, SqlValue] = {
        "scope": scope.name,
        "sources": to_text(list(scope.sources)),
        "private": int(scope.has_private_source),
        "now": seconds(now),
    }
    if known:
        yield Statement(
            """
            UPDATE edition_scopes SET source_ids = :sources,
                has_private_source = CASE WHEN :private = 1 THEN 1 ELSE has_private_source END,
                updated_at = :now
            WHERE scope = :scope
            """,
            params,
        )
        return
    parent = yield from _last_scope(reader, scope)
    rows = yield Statement(
        """
        INSERT INTO edition_scopes (scope, source_ids, reader_id, has_private_source,
            created_at, updated_at)
        VALUES (:scope, :sources, :reader, :private, :now, :now)
        ON CONFLICT DO NOTHING RETURNING scope
        """,
        {**params, "reader": scope.reader},
    )
    if rows and parent is not None:
        yield from inherit_stories(parent, scope.name, since=now - REMEMBERED_SPAN)


def _last_scope(reader: UserId, scope: ReaderScope) -> Steps[str | None]:
    """The scope of the reader's last edition, if what was told there may be known here."""
    rows = yield Statement(
        """
        SELECT t.scope, s.has_private_source FROM edition_readers r
        JOIN edition_tasks t ON t.id = r.task_id JOIN edition_scopes s ON s.scope = t.scope
        WHERE r.user_id = :user ORDER BY t.due_at DESC, t.id DESC LIMIT 1
        """,
        {"user": reader},
    )
    if not rows or not may_inherit(bool(rows[0]["has_private_source"]), scope.has_private_source):
        return None
    return str(rows[0]["scope"])


def _to_scope(row: Row) -> ReaderScope:
    return ReaderScope(
        name=row["scope"],
        sources=tuple(SourceId(each) for each in from_text(list[int], row["source_ids"])),
        has_private_source=bool(row["has_private_source"]),
        reader=None if row["reader_id"] is None else UserId(row["reader_id"]),
    )
