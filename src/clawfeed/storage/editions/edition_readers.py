"""Whom editions are made for: the queue of readers, their scopes, and what is their own."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, time, timedelta

from clawfeed.domain.editions.edition import EditionTask, NewTask
from clawfeed.domain.editions.edition_period import EditionType
from clawfeed.domain.editions.edition_scope import (
    DEFAULT_TYPES,
    LONGEST_WAIT,
    ReaderScope,
    ReaderSettings,
    may_inherit,
    scope_of,
)
from clawfeed.domain.editions.interests import ReaderInterests, Vote
from clawfeed.domain.ids import SourceId, TaskId, UserId
from clawfeed.storage.database import Database, Row, SqlValue, Statement, Steps, execute
from clawfeed.storage.editions.edition_json import from_text, to_text
from clawfeed.storage.editions.editions import get_or_add_task, to_task
from clawfeed.storage.editions.interests import read_interests
from clawfeed.storage.editions.stories import inherit_stories
from clawfeed.storage.sources.visibility_conditions import VISIBLE
from clawfeed.storage.timestamps import moment, seconds

# What a new scope knows of the one before: a month is told from its weeks.
REMEMBERED = timedelta(days=35)
# Marks and votes beyond these are of another time.
VOTES_READ = 300

_FOLLOWED = f"""
SELECT s.id, s.is_public FROM user_subscriptions u JOIN sources s ON s.id = u.source_id
WHERE u.user_id = :user AND {VISIBLE} ORDER BY s.id
"""  # noqa: S608 -- our own constant
_OWN_SETTINGS = """
SELECT EXISTS (SELECT 1 FROM interests WHERE user_id = :user) AS interests,
    EXISTS (SELECT 1 FROM story_votes WHERE user_id = :user) AS votes,
    EXISTS (
        SELECT 1 FROM marks
        WHERE user_id = :user AND status IN ('liked', 'saved', 'disliked')
    ) AS marks
"""
# Who follows nothing stays in the queue and waits for nothing.
_WAITING = """
e.is_wanted = 1 AND u.disabled_at IS NULL
AND EXISTS (SELECT 1 FROM user_subscriptions f WHERE f.user_id = e.user_id)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class DueReader:
    """A reader whose edition of this type is to be made."""

    id: UserId
    type: EditionType


class EditionReaders:
    """The queue of readers. *defaults* are how editions are wanted by who said nothing."""

    def __init__(self, database: Database, defaults: ReaderSettings) -> None:
        self._db, self._defaults = database, defaults

    async def welcome(self, *, now: datetime) -> int:
        """Put into the queue who follows something and is not in it yet; how many are new.

        Who has a date of a clock that ran ahead is due now: they would wait for that day (F15).
        """
        return await self._db.run(lambda: _welcome(now))

    async def due(self, *, now: datetime, limit: int) -> list[DueReader]:
        """Whose time has come, the longest overdue first."""
        rows = await self._db.read(
            f"""
            SELECT e.user_id, e.type FROM reader_editions e JOIN users u ON u.id = e.user_id
            WHERE e.next_due_at <= :now AND {_WAITING}
            ORDER BY e.next_due_at, e.user_id, e.type LIMIT :limit
            """,  # noqa: S608 -- our own constant
            {"now": seconds(now), "limit": limit},
        )
        return [DueReader(id=UserId(r["user_id"]), type=EditionType(r["type"])) for r in rows]

    async def next_due(self) -> datetime | None:
        """When the next reader's time comes; None if there is nobody.

        For who is not in the queue yet it came when they began to follow something.
        """
        rows = await self._db.read(
            f"""
            SELECT (SELECT e.next_due_at FROM reader_editions e JOIN users u ON u.id = e.user_id
                    WHERE {_WAITING} ORDER BY e.next_due_at LIMIT 1) AS queued,
                (SELECT max(f.created_at) FROM users u
                    JOIN user_subscriptions f ON f.user_id = u.id
                    WHERE u.disabled_at IS NULL AND NOT EXISTS (
                        SELECT 1 FROM reader_editions e WHERE e.user_id = u.id AND e.type = :type
                    )) AS new
            """,  # noqa: S608 -- our own constant
            {"type": DEFAULT_TYPES[0]},
        )
        found = [at for at in (rows[0]["queued"], rows[0]["new"]) if at is not None]
        return moment(min(found)) if found else None

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

    async def begun(self, reader: UserId, *, since: datetime) -> int:
        """How many editions were begun for *reader* since then."""
        [row] = await self._db.read(
            "SELECT count(*) AS n FROM edition_readers r JOIN edition_tasks t ON t.id = r.task_id "
            "WHERE r.user_id = :user AND t.created_at >= :since",
            {"user": reader, "since": seconds(since)},
        )
        return int(row["n"])

    async def postpone(self, reader: DueReader, until: datetime) -> None:
        await self._db.run(lambda: _set_due(reader, until))

    async def want(self, reader: DueReader, at: datetime) -> None:
        """Date their next edition *at*, unless it comes earlier; who wants none of it gets none."""
        await execute(
            self._db,
            """
            INSERT INTO reader_editions (user_id, type, is_wanted, next_due_at)
            VALUES (:user, :type, 1, :at)
            ON CONFLICT (user_id, type) DO UPDATE SET next_due_at = :at
                WHERE reader_editions.next_due_at > :at
            """,
            {"user": reader.id, "type": reader.type, "at": seconds(at)},
        )

    async def remember(self, reader: UserId, scope: ReaderScope, *, now: datetime) -> None:
        """Let *scope*, if it is new, know what *reader* was told before."""
        await self._db.run(lambda: _save_scope(reader, scope, now))

    async def enrol(
        self,
        reader: DueReader,
        scope: ReaderScope,
        new: NewTask,
        *,
        next_due_at: datetime,
        now: datetime,
    ) -> EditionTask:
        """Give *reader* the edition *new* of *scope*, made by now or not, and date their next one.

        However many do it at once, there is one task (I6).
        """
        return await self._db.run(lambda: _enrol(reader, scope, new, next_due_at, now))


async def chosen_settings(database: Database, reader: UserId) -> ReaderSettings | None:
    """How this person wants their editions; None if they said nothing."""
    rows = await database.read(
        "SELECT language, zone, edition_time FROM reader_settings WHERE user_id = :user",
        {"user": reader},
    )
    return _to_settings(rows[0]) if rows else None


async def scope_named(database: Database, name: str) -> ReaderScope | None:
    """What stood behind the scope when it was last used."""
    rows = await database.read("SELECT * FROM edition_scopes WHERE scope = :scope", {"scope": name})
    return _to_scope(rows[0]) if rows else None


async def todays_task(
    database: Database, reader: UserId, *, since: datetime, now: datetime
) -> EditionTask | None:
    """The daily edition *reader* got last, if it was due since then; none of a clock ahead."""
    rows = await database.read(
        """
        SELECT t.* FROM edition_readers r JOIN edition_tasks t ON t.id = r.task_id
        WHERE r.user_id = :user AND t.type = 'daily' AND t.due_at > :since AND t.due_at <= :now
        ORDER BY t.due_at DESC, t.id DESC LIMIT 1
        """,
        {"user": reader, "since": seconds(since), "now": seconds(now)},
    )
    return to_task(rows[0]) if rows else None


async def readers_of(database: Database, task: TaskId) -> list[UserId]:
    rows = await database.read(
        "SELECT user_id FROM edition_readers WHERE task_id = :task ORDER BY user_id",
        {"task": task},
    )
    return [UserId(row["user_id"]) for row in rows]


async def interests_of(database: Database, reader: UserId) -> ReaderInterests:
    """What the reader wrote down, voted for and marked, the newest votes and marks first."""
    votes = await database.read(
        "SELECT headline AS title, vote FROM story_votes WHERE user_id = :user "
        "ORDER BY id DESC LIMIT :limit",
        {"user": reader, "limit": VOTES_READ},
    )
    marks = await database.read(
        """
        SELECT title, CASE WHEN status = 'disliked' THEN -1 ELSE 1 END AS vote FROM marks
        WHERE user_id = :user AND status IN ('liked', 'saved', 'disliked')
        ORDER BY id DESC LIMIT :limit
        """,
        {"user": reader, "limit": VOTES_READ},
    )
    return ReaderInterests(
        interests=tuple(await read_interests(database, reader)),
        votes=tuple(Vote(headline=row["title"], vote=row["vote"]) for row in [*votes, *marks]),
    )


def _welcome(now: datetime) -> Steps[int]:
    for each, longest in LONGEST_WAIT.items():
        yield Statement(
            "UPDATE reader_editions SET next_due_at = :now "
            "WHERE type = :type AND is_wanted = 1 AND next_due_at > :latest",
            {"type": each, "now": seconds(now), "latest": seconds(now + longest)},
        )
    found = 0
    for kind in DEFAULT_TYPES:
        rows = yield Statement(
            """
            INSERT INTO reader_editions (user_id, type, is_wanted, next_due_at)
            SELECT u.id, :type, 1, :now FROM users u
            WHERE u.disabled_at IS NULL
              AND EXISTS (SELECT 1 FROM user_subscriptions s WHERE s.user_id = u.id)
              AND NOT EXISTS (
                SELECT 1 FROM reader_editions e WHERE e.user_id = u.id AND e.type = :type
            )
            ON CONFLICT DO NOTHING RETURNING user_id
            """,
            {"type": kind, "now": seconds(now)},
        )
        found += len(rows)
    return found


def _to_settings(row: Row) -> ReaderSettings:
    return ReaderSettings(
        language=row["language"],
        zone=row["zone"],
        edition_time=time.fromisoformat(row["edition_time"]),
    )


def _set_due(reader: DueReader, at: datetime) -> Steps[None]:
    yield Statement(
        "UPDATE reader_editions SET next_due_at = :at WHERE user_id = :user AND type = :type",
        {"at": seconds(at), "user": reader.id, "type": reader.type},
    )


def _enrol(
    reader: DueReader, scope: ReaderScope, new: NewTask, next_due_at: datetime, now: datetime
) -> Steps[EditionTask]:
    yield from _save_scope(reader.id, scope, now)
    task = yield from get_or_add_task(new, now)
    yield Statement(
        "INSERT INTO edition_readers (task_id, user_id) VALUES (:task, :user) "
        "ON CONFLICT DO NOTHING",
        {"task": task.id, "user": reader.id},
    )
    yield from _set_due(reader, next_due_at)
    return task


def _save_scope(reader: UserId, scope: ReaderScope, now: datetime) -> Steps[None]:
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
        yield from inherit_stories(parent, scope.name, since=now - REMEMBERED)


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
