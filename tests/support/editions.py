"""Rows around an edition, for tests of the tables."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from clawfeed.domain.editions.edition import SYSTEM_SCOPE, EditionTask, NewTask
from clawfeed.domain.editions.edition_period import EditionType
from clawfeed.storage.database import Database, SqlValue, execute
from tests.support.clocks import NOON

DAY = timedelta(days=1)
NEW = NewTask(
    scope=SYSTEM_SCOPE,
    type=EditionType.DAILY,
    period="2026-11-15",
    covers_from=NOON - DAY,
    covers_until=NOON,
    due_at=NOON,
    expires_at=NOON + DAY,
)


@dataclass(frozen=True, slots=True)
class Rows:
    """Writes one row at a time; what a test does not care about is filled in."""

    database: Database

    async def _insert(self, table: str, values: dict[str, SqlValue], key: str = "id") -> int:
        names = ", ".join(values)
        places = ", ".join(f":{name}" for name in values)
        sql = f"INSERT INTO {table} ({names}) VALUES ({places}) RETURNING {key} AS key"
        [row] = await execute(self.database, sql, values)
        return int(row["key"])

    async def story(self, title: str = "a story", *, scope: str = SYSTEM_SCOPE) -> int:
        seen = {"first_seen_at": NOON.timestamp(), "last_seen_at": NOON.timestamp()}
        return await self._insert("stories", {"scope": scope, "title": title, **seen})

    async def article(self, task: EditionTask, position: int, **values: SqlValue) -> int:
        fixed = {"task_id": task.id, "position": position, "story_id": await self.story()}
        return await self._insert("edition_articles", {**fixed, "updated_at": 0.0, **values})

    async def batch(self, task: EditionTask, index: int, articles: int, **values: SqlValue) -> None:
        row = {"task_id": task.id, "batch_index": index, "article_count": articles}
        await self._insert("edition_batches", {**row, "started_at": 0.0, **values}, "batch_index")

    async def digest(self, task: EditionTask, **values: SqlValue) -> int:
        of_task = {"kind": task.kind, "scope": task.scope, "type": task.type, "period": task.period}
        fixed: dict[str, SqlValue] = {
            "task_id": task.id,
            "title": "t",
            "content": "{}",
            "created_at": 0.0,
        }
        return await self._insert("digests", {**of_task, **fixed, **values})

    async def channel(self, address: str, *, owner: int | None = None, **values: SqlValue) -> int:
        row = {"owner_id": owner, "kind": "email", "name": address, "address": address}
        return await self._insert(
            "channels", {**row, "created_at": 0.0, "updated_at": 0.0, **values}
        )

    async def message(self, digest: int, channel: int, part: int = 1, **values: SqlValue) -> int:
        key = f"{digest}-{channel}-{part}"
        row: dict[str, SqlValue] = {"digest_id": digest, "channel_id": channel, "part": part}
        row["idempotency_key"] = key
        fixed: dict[str, SqlValue] = {
            "parts": max(part, 9),
            "payload": "{}",
            "place": f"channel {channel}",
            "not_before": 0.0,
            "created_at": 0.0,
            "updated_at": 0.0,
        }
        return await self._insert("outbox", {**row, **fixed, **values})

    async def telling(self, story: int, digest: int, fingerprint: str, at: float) -> None:
        row: dict[str, SqlValue] = {"story_id": story, "digest_id": digest, "told_at": at}
        row["fingerprint"] = fingerprint
        await self._insert("story_tellings", {**row, "position": 1, "headline": "h"}, "story_id")
