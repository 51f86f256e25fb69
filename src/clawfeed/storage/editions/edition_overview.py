"""What a list of editions in the making says of each: a few statements, however many there are."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import groupby

from clawfeed.domain.editions.delivery import DeliveryState, MessageState, delivery_state
from clawfeed.domain.editions.edition import ArticleState
from clawfeed.domain.ids import DigestId, TaskId
from clawfeed.storage.database import Database, Row
from clawfeed.storage.sql_lists import in_list

_ARTICLES = """
SELECT task_id, state, count(*) AS n, sum(retry_count) AS retries
FROM edition_articles WHERE task_id IN ({names}) GROUP BY task_id, state
"""
_BATCHES = """
SELECT task_id, count(outcome) AS done
FROM edition_batches WHERE task_id IN ({names}) GROUP BY task_id
"""
_OTHERS = """
SELECT t.id AS task_id, d.id AS digest_id,
    (SELECT count(*) FROM edition_readers r WHERE r.task_id = t.id) AS readers
FROM edition_tasks t LEFT JOIN digests d ON d.task_id = t.id WHERE t.id IN ({names})
"""
_MESSAGES = """
SELECT d.task_id, o.channel_id, o.state FROM digests d JOIN outbox o ON o.digest_id = d.id
WHERE d.task_id IN ({names}) ORDER BY d.task_id, o.channel_id, o.part
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class EditionOverview:
    """*retries*: how often articles were tried again; *deliveries*: how far its channels are."""

    articles: Mapping[ArticleState, int] = field(default_factory=dict)
    retries: int = 0
    batches: int = 0
    digest_id: DigestId | None = None
    readers: int = 0
    deliveries: Mapping[DeliveryState, int] = field(default_factory=dict)


async def editions_overview(
    database: Database, tasks: Iterable[TaskId]
) -> dict[TaskId, EditionOverview]:
    """What there is to say of each of *tasks*."""
    wanted = list(tasks)
    if not wanted:
        return {}
    names, params = in_list(wanted)
    articles, batches, others, messages = await asyncio.gather(
        *(
            database.read(each.format(names=names), params)
            for each in (_ARTICLES, _BATCHES, _OTHERS, _MESSAGES)
        )
    )
    batch_of = {row["task_id"]: row for row in batches}
    articles_of, deliveries_of = _by_task(articles), _deliveries(messages)
    return {
        TaskId(row["task_id"]): EditionOverview(
            articles={
                ArticleState(each["state"]): int(each["n"])
                for each in articles_of.get(row["task_id"], ())
            },
            retries=sum(int(each["retries"]) for each in articles_of.get(row["task_id"], ())),
            batches=int(batch_of[row["task_id"]]["done"]) if row["task_id"] in batch_of else 0,
            digest_id=None if row["digest_id"] is None else DigestId(row["digest_id"]),
            readers=int(row["readers"]),
            deliveries=deliveries_of.get(row["task_id"], {}),
        )
        for row in others
    }


async def retries_of(database: Database, task: TaskId) -> int:
    """How often articles of this edition were tried again."""
    [row] = await database.read(
        "SELECT coalesce(sum(retry_count), 0) AS n FROM edition_articles WHERE task_id = :id",
        {"id": task},
    )
    return int(row["n"])


def _by_task(rows: Iterable[Row]) -> dict[int, list[Row]]:
    found: dict[int, list[Row]] = {}
    for row in rows:
        found.setdefault(row["task_id"], []).append(row)
    return found


def _deliveries(messages: Iterable[Row]) -> dict[int, dict[DeliveryState, int]]:
    found: dict[int, dict[DeliveryState, int]] = {}
    for (task, _), parts in groupby(messages, key=lambda row: (row["task_id"], row["channel_id"])):
        state = delivery_state([MessageState(part["state"]) for part in parts])
        of_task = found.setdefault(task, {})
        of_task[state] = of_task.get(state, 0) + 1
    return found
