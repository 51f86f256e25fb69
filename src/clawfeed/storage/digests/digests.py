"""Finished editions: written once with what their readers were told, and read by who may."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import msgspec

from clawfeed.domain.editions.digest import DigestContent
from clawfeed.domain.editions.edition import SYSTEM_SCOPE, EditionTask
from clawfeed.domain.editions.edition_period import EditionType
from clawfeed.domain.ids import DigestId, StoryId, TaskId, UserId
from clawfeed.storage.bounds import NO_LIMIT
from clawfeed.storage.database import Database, Insert, Row, SqlValue, Statement, Steps
from clawfeed.storage.editions.edition_json import from_text, to_text
from clawfeed.storage.editions.edition_saving import save_task
from clawfeed.storage.outbox.new_messages import MakeMessages, send_out
from clawfeed.storage.sql_lists import in_list
from clawfeed.storage.timestamps import moment, moment_or_none, seconds

log = logging.getLogger(__name__)

# Whose editions one may read: the system's, and those that were made for oneself.
READABLE_DIGEST = """
    (d.scope = :system OR EXISTS (
        SELECT 1 FROM edition_readers r WHERE r.task_id = d.task_id AND r.user_id = :reader
    ))
"""
HEAD = """
    d.id, d.task_id, d.scope, d.subscription_hash, d.type, d.period, d.language, d.title,
        d.created_at, t.published_at
"""
DIGESTS_WITH_TASKS = "FROM digests d LEFT JOIN edition_tasks t ON t.id = d.task_id"
_WANTED_DIGESTS = (
    "d.id < :before AND (:type = '' OR d.type = :type) ORDER BY d.id DESC LIMIT :limit"
)
# The same editions as `READABLE_DIGEST`, reached from their reader: among the editions of ten
# thousand readers one's own are far apart, and looking for them from the newest on took a second.
_LIST = f"""
    SELECT {HEAD} {DIGESTS_WITH_TASKS} WHERE d.id IN (
        SELECT id FROM (
            SELECT d.id FROM digests d WHERE d.scope = :system AND {_WANTED_DIGESTS}
        ) AS everybodys
        UNION
        SELECT id FROM (
            SELECT d.id FROM edition_readers r JOIN digests d ON d.task_id = r.task_id
            WHERE r.user_id = :reader AND {_WANTED_DIGESTS}
        ) AS own
    ) ORDER BY d.id DESC LIMIT :limit
"""  # noqa: S608 -- our own constants
# So many of the newest may be damaged before there is no latest one.
_PASSED_OVER = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class DigestHead:
    """A finished edition without its stories. *published_at* is None until it is published."""

    id: DigestId
    task_id: TaskId | None
    scope: str
    subscription_hash: str | None
    type: EditionType
    period: str
    language: str
    title: str
    created_at: datetime
    published_at: datetime | None

    @property
    def is_systems(self) -> bool:
        return self.scope == SYSTEM_SCOPE


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredDigest(DigestHead):
    content: DigestContent


@dataclass(frozen=True, slots=True, kw_only=True)
class NewTelling:
    """How the edition tells one story; see `domain.editions.story`."""

    story_id: StoryId
    position: int
    headline: str
    fingerprint: str
    what_changed: str = ""


def save_digest(
    task: EditionTask,
    content: DigestContent,
    tellings: Sequence[NewTelling],
    *,
    subscription_hash: str | None,
    now: datetime,
    messages: MakeMessages | None = None,
) -> Steps[DigestId]:
    """Store the finished edition, what it told and its *messages*, while the task is ours (S002-7).

    `LeaseLostError`, and no trace, if somebody else was faster.
    """
    rows = yield Statement(
        """
        INSERT INTO digests (task_id, kind, scope, subscription_hash, type, period, language,
            title, content, created_at)
        VALUES (:task, :kind, :scope, :hash, :type, :period, :language, :title, :content, :now)
        RETURNING id
        """,
        {
            "task": task.id,
            "kind": task.kind,
            "scope": task.scope,
            "hash": subscription_hash,
            "type": task.type,
            "period": task.period,
            "language": content.language,
            "title": content.title,
            "content": to_text(content),
            "now": seconds(now),
        },
    )
    digest = DigestId(rows[0]["id"])
    columns = "story_id", "digest_id", "position", "headline", "fingerprint", "what_changed"
    yield Insert(
        table="story_tellings",
        columns=(*columns, "told_at"),
        rows=sorted(
            (
                *(each.story_id, digest, each.position, each.headline, each.fingerprint),
                *(each.what_changed, seconds(now)),
            )
            for each in tellings
        ),
    )
    if messages is not None:
        yield from send_out(task, digest, messages, now=now)
    yield from save_task(task, task, now=now)
    return digest


class DigestStore:
    """Finished editions, as one reader (None: a stranger) may read them.

    One whose row is damaged, or of a version that wrote more than we know, is told in the log and
    passed over: it must not take the front page with it.
    """

    def __init__(self, database: Database) -> None:
        self._db = database

    async def latest(self, scope: str, kind: EditionType) -> StoredDigest | None:
        """The newest of this scope and type, whatever its channels do: a slow one hides nothing."""
        for newer in range(1 + _PASSED_OVER):
            rows = await self._db.read(
                f"""
                SELECT {HEAD}, d.content {DIGESTS_WITH_TASKS}
                WHERE d.scope = :scope AND d.type = :type
                ORDER BY d.created_at DESC, d.id DESC LIMIT 1 OFFSET :newer
                """,
                {"scope": scope, "type": kind, "newer": newer},
            )
            found = to_digest(rows[0]) if rows else None
            if found is not None or not rows:
                return found
        return None

    async def get(self, digest: DigestId, reader: UserId | None) -> StoredDigest | None:
        """The edition, if *reader* may read it; None as if it were not there otherwise (T13)."""
        rows = await self._db.read(
            f"SELECT {HEAD}, d.content {DIGESTS_WITH_TASKS} WHERE d.id = :id AND {READABLE_DIGEST}",
            {"id": digest, "reader": reader, "system": SYSTEM_SCOPE},
        )
        return to_digest(rows[0]) if rows else None

    async def get_many(
        self, digests: Sequence[DigestId], reader: UserId | None
    ) -> list[StoredDigest]:
        """Those that *reader* may read, in the order asked for."""
        if not digests:
            return []
        names, params = in_list(digests)
        rows = await self._db.read(
            f"SELECT {HEAD}, d.content {DIGESTS_WITH_TASKS} "
            f"WHERE d.id IN ({names}) AND {READABLE_DIGEST}",
            {**params, "reader": reader, "system": SYSTEM_SCOPE},
        )
        found = {row["id"]: to_digest(row) for row in rows}
        return [one for each in digests if (one := found.get(each)) is not None]

    async def of_task(self, task: TaskId) -> StoredDigest | None:
        rows = await self._db.read(
            f"SELECT {HEAD}, d.content {DIGESTS_WITH_TASKS} WHERE d.task_id = :task",
            {"task": task},
        )
        return to_digest(rows[0]) if rows else None

    async def id_of_task(self, task: TaskId) -> DigestId | None:
        rows = await self._db.read("SELECT id FROM digests WHERE task_id = :task", {"task": task})
        return DigestId(rows[0]["id"]) if rows else None

    async def of_scope(
        self, scope: str, kind: EditionType, *, since: datetime, until: datetime
    ) -> list[StoredDigest]:
        """The editions of one scope and type that were due in [*since*, *until*), oldest first."""
        rows = await self._db.read(
            f"""
            SELECT {HEAD}, d.content {DIGESTS_WITH_TASKS}
            WHERE d.scope = :scope AND d.type = :type AND t.due_at >= :since AND t.due_at < :until
            ORDER BY t.due_at, d.id
            """,
            {"scope": scope, "type": kind, "since": seconds(since), "until": seconds(until)},
        )
        return [digest for row in rows if (digest := to_digest(row)) is not None]

    async def has_any(self, scope: str, kind: EditionType) -> bool:
        rows = await self._db.read(
            "SELECT 1 AS one FROM digests WHERE scope = :scope AND type = :type LIMIT 1",
            {"scope": scope, "type": kind},
        )
        return bool(rows)

    async def list(
        self,
        reader: UserId | None,
        *,
        kind: EditionType | None = None,
        before: DigestId | None = None,
        limit: int,
    ) -> list[DigestHead]:
        """The newest first that *reader* may read; of one type if given, older than *before*."""
        params: dict[str, SqlValue] = {
            "reader": reader,
            "system": SYSTEM_SCOPE,
            "type": kind or "",
            "before": NO_LIMIT if before is None else before,
            "limit": limit,
        }
        rows = await self._db.read(_LIST, params)
        return [to_head(row) for row in rows]


def to_head(row: Row) -> DigestHead:
    """From the columns `HEAD`."""
    return DigestHead(**_head(row))  # type: ignore[arg-type] # names of its own fields


def _head(row: Row) -> dict[str, object]:
    return {
        "id": DigestId(row["id"]),
        "task_id": None if row["task_id"] is None else TaskId(row["task_id"]),
        "scope": row["scope"],
        "subscription_hash": row["subscription_hash"],
        "type": EditionType(row["type"]),
        "period": row["period"],
        "language": row["language"],
        "title": row["title"],
        "created_at": moment(row["created_at"]),
        "published_at": moment_or_none(row["published_at"]),
    }


def to_digest(row: Row) -> StoredDigest | None:
    """From the columns `HEAD` and the content; None if that makes no sense."""
    try:
        content = from_text(DigestContent, row["content"])
    except msgspec.DecodeError:
        # Not what is wrong with it: that would be a reader's own text.
        log.error("edition cannot be read", extra={"edition": row["id"]})  # noqa: TRY400
        return None
    return StoredDigest(**_head(row), content=content)  # type: ignore[arg-type] # names of its own fields
