"""What is known of an edition besides its task: its articles, its open batch, its deliveries."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from clawfeed.domain.editions.delivery import MessageState, delivery_state
from clawfeed.domain.editions.edition import EditionTask
from clawfeed.domain.editions.edition_decision import EditionFacts, OpenBatch
from clawfeed.storage.channels.channel_row import TAKES_MESSAGES
from clawfeed.storage.database import Database, Row
from clawfeed.storage.editions.edition_claims import EDITION_ARTICLES
from clawfeed.storage.leases import in_force
from clawfeed.storage.timestamps import moment

# `processing` rows that nobody holds are what a crash left.
_FACTS = """
SELECT count(CASE WHEN a.state = 'pending' THEN 1 END) AS pending,
    count(CASE WHEN a.state = 'processing' AND {in_force} THEN 1 END) AS held,
    count(CASE WHEN a.state = 'processing' THEN 1 END) AS processing,
    count(CASE WHEN a.state = 'completed' THEN 1 END) AS completed,
    count(CASE WHEN a.state = 'failed' THEN 1 END) AS failed,
    count(CASE WHEN a.state = 'completed' AND a.batch_index = b.batch_index THEN 1 END)
        AS batch_completed,
    max(b.batch_index) AS batch_index, max(b.article_count) AS article_count,
    (SELECT count(*) FROM digests d WHERE d.task_id = :id) AS digests
FROM (SELECT 1 AS one) AS always
LEFT JOIN edition_articles a ON a.task_id = :id
LEFT JOIN edition_batches b ON b.task_id = :id AND b.outcome IS NULL
"""
_MESSAGES = f"""
SELECT o.channel_id, o.state, o.not_before
FROM digests d JOIN outbox o ON o.digest_id = d.id JOIN channels c ON c.id = o.channel_id
WHERE d.task_id = :id AND {TAKES_MESSAGES} ORDER BY o.channel_id, o.part
"""  # noqa: S608 -- our own constant


async def edition_facts(database: Database, task: EditionTask) -> EditionFacts:
    """What `decide` needs to know besides the task. The database's clock decides leases."""
    held = in_force(EDITION_ARTICLES, database.dialect.now, "a.")
    [row] = await database.read(_FACTS.format(in_force=held), {"id": task.id})
    messages = await database.read(_MESSAGES, {"id": task.id}) if row["digests"] else []
    return _to_facts(row, messages)


def _to_facts(row: Row, messages: Sequence[Row]) -> EditionFacts:
    waiting = [part["not_before"] for part in messages if part["state"] == MessageState.PENDING]
    return EditionFacts(
        pending=row["pending"],
        held=row["held"],
        lapsed=row["processing"] - row["held"],
        completed=row["completed"],
        failed=row["failed"],
        open_batch=_to_open_batch(row),
        has_digest=bool(row["digests"]),
        deliveries=tuple(
            delivery_state([MessageState(part["state"]) for part in parts])
            for _, parts in groupby(messages, key=lambda part: part["channel_id"])
        ),
        deliver_from=moment(max(waiting)) if waiting else None,
    )


def _to_open_batch(row: Row) -> OpenBatch | None:
    if row["batch_index"] is None:
        return None
    return OpenBatch(
        index=row["batch_index"], articles=row["article_count"], completed=row["batch_completed"]
    )
