"""The articles of an edition, as rows: claimed by the batch, written one by one, counted.

A worker that wakes up late meets a newer claim and changes nothing (S002-9, S002-10).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from clawfeed.domain.editions.digest import Section, StoryReason, StoryWords, WhatChanged
from clawfeed.domain.editions.edition import ArticleState, EditionTask
from clawfeed.domain.editions.edition_decision import (
    BatchOutcome,
    FinishBatch,
    StartBatch,
    after_failure,
)
from clawfeed.domain.editions.edition_failure import WORKER_STOPPED, EditionFailure
from clawfeed.domain.ids import StoryId, TaskId
from clawfeed.storage.database import Database, Dialect, Row, Statement, Steps
from clawfeed.storage.editions.edition_claims import EDITION_ARTICLES
from clawfeed.storage.editions.edition_json import from_text, to_text
from clawfeed.storage.editions.edition_saving import save_task
from clawfeed.storage.editions.failure_columns import SET_FAILURE, failure_values, to_failure
from clawfeed.storage.leases import (
    FREE,
    RELEASED,
    REVOKED,
    Due,
    Held,
    Holder,
    claim_next,
    fenced,
    lapsed,
    renew,
)
from clawfeed.storage.timestamps import moment, seconds

# Reasons why articles failed that somebody looks at; nearly always it is one.
MOST_FAILURES = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimedArticle:
    """One story to put into words, ours by *claim*; *material* is JSON of the digest workshop."""

    id: int
    story_id: StoryId
    claim: int
    retry_count: int
    material: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenArticle:
    """A completed article, as the edition takes it."""

    story_id: StoryId
    position: int
    section: Section
    reason: StoryReason
    words: StoryWords
    material: str
    fingerprint: str
    first_seen_at: datetime
    what_changed: WhatChanged | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """A row per batch (S002-16); *outcome* and *duration_seconds* are None while it runs."""

    index: int
    articles: int
    started_at: datetime
    duration_seconds: float | None
    outcome: BatchOutcome | None


def start_batch(
    before: EditionTask,
    after: EditionTask,
    step: StartBatch,
    holder: Holder,
    dialect: Dialect,
    *,
    now: datetime,
) -> Steps[list[ClaimedArticle]]:
    """Claim a batch of pending articles and write down that it began, in one transaction (S002-9).

    Nothing to claim: the task is left as it is, and there is no batch.
    """
    due = Due(limit=step.size, condition="t.task_id = :task", params={"task": before.id})
    rows = yield from claim_next(EDITION_ARTICLES, dialect, holder, due)
    if not rows:
        return []
    yield Statement(
        """
        INSERT INTO edition_batches (task_id, batch_index, article_count, started_at)
        VALUES (:task, :index, :articles, :now)
        """,
        {"task": before.id, "index": step.index, "articles": len(rows), "now": seconds(now)},
    )
    for row in rows:
        yield fenced(
            EDITION_ARTICLES,
            Held(key=row["id"], claim=row["claim"]),
            "state = 'processing', batch_index = :index, updated_at = :now",
            {"index": step.index, "now": seconds(now)},
        )
    yield from save_task(before, after, now=now)
    return [_to_claimed(row) for row in rows]


def hold_batch(articles: Sequence[ClaimedArticle], dialect: Dialect, holder: Holder) -> Steps[None]:
    """Hold on to those that are not written yet: a batch may take longer than a lease."""
    for article in articles:
        yield from renew(EDITION_ARTICLES, dialect, _held(article), holder.lease)


def complete(article: ClaimedArticle, words: StoryWords, *, now: datetime) -> Steps[None]:
    """Store the words of one article; `LeaseLostError` if it is no longer ours."""
    yield fenced(
        EDITION_ARTICLES,
        _held(article),
        f"state = 'completed', result = :result, {SET_FAILURE}, updated_at = :now, {RELEASED}",
        {"result": to_text(words), "now": seconds(now), **failure_values(None)},
    )


def fail(
    article: ClaimedArticle, failure: EditionFailure, *, most_retries: int, now: datetime
) -> Steps[None]:
    """Give back an article that could not be written: pending again, or failed for good."""
    state, retries = after_failure(article.retry_count, most_retries)
    yield fenced(
        EDITION_ARTICLES,
        _held(article),
        f"state = :state, retry_count = :retries, {SET_FAILURE}, updated_at = :now, {RELEASED}",
        {"state": state, "retries": retries, "now": seconds(now), **failure_values(failure)},
    )


def free_lapsed(
    task: EditionTask, dialect: Dialect, *, most_retries: int, now: datetime
) -> Steps[int]:
    """Take back what a crash left in `processing`; each goes where `after_failure` says."""
    rows = yield Statement(
        f"""
        SELECT id, retry_count FROM edition_articles
        WHERE task_id = :task AND state = 'processing'
          AND ({FREE} OR {lapsed(EDITION_ARTICLES, dialect.now)})
        ORDER BY id
        """,  # noqa: S608 -- our own constants
        {"task": task.id},
    )
    for row in rows:
        state, retries = after_failure(row["retry_count"], most_retries)
        yield Statement(
            f"""
            UPDATE edition_articles SET state = :state, retry_count = :retries,
                updated_at = :now, {SET_FAILURE}, {REVOKED}
            WHERE id = :id AND state = 'processing'
            """,  # noqa: S608 -- our own constant
            {
                "id": row["id"],
                "state": state,
                "retries": retries,
                "now": seconds(now),
                **failure_values(WORKER_STOPPED),
            },
        )
    return len(rows)


def finish_batch(task: TaskId, step: FinishBatch, *, now: datetime) -> Steps[None]:
    """Write down what the batch came to, and how long it took."""
    yield Statement(
        """
        UPDATE edition_batches SET outcome = :outcome,
            duration_seconds = CASE WHEN :now > started_at THEN :now - started_at ELSE 0 END
        WHERE task_id = :task AND batch_index = :index AND outcome IS NULL
        """,
        {"task": task, "index": step.index, "outcome": step.outcome, "now": seconds(now)},
    )


def retry_failed(task: TaskId, *, retries_used: int, now: datetime) -> Steps[int]:
    """The failed articles are pending again, as if *retries_used* tries had been made."""
    rows = yield Statement(
        f"""
        UPDATE edition_articles SET state = 'pending', retry_count = :used, updated_at = :now,
            {REVOKED}
        WHERE task_id = :task AND state = 'failed' RETURNING id
        """,  # noqa: S608 -- our own constant
        {"task": task, "used": retries_used, "now": seconds(now)},
    )
    return len(rows)


def drop_unfinished(task: TaskId, *, now: datetime) -> Steps[None]:
    """What is not completed is left out, whoever writes it: a person wants the rest (S002-16)."""
    yield Statement(
        f"""
        UPDATE edition_articles SET state = 'failed', updated_at = :now, {REVOKED}
        WHERE task_id = :task AND state IN ('pending', 'processing')
        """,  # noqa: S608 -- our own constant
        {"task": task, "now": seconds(now)},
    )
    # Its batch, if one runs, ends here: whoever writes it finds its articles taken.
    yield Statement(
        """
        UPDATE edition_batches SET outcome = 'partial',
            duration_seconds = CASE WHEN :now > started_at THEN :now - started_at ELSE 0 END
        WHERE task_id = :task AND outcome IS NULL
        """,
        {"task": task, "now": seconds(now)},
    )


async def written_articles(database: Database, task: TaskId) -> list[WrittenArticle]:
    """The completed ones, in the edition's order."""
    rows = await database.read(
        """
        SELECT a.story_id, a.position, a.section, a.reason, a.result, a.material, a.fingerprint,
            a.what_changed, s.first_seen_at
        FROM edition_articles a JOIN stories s ON s.id = a.story_id
        WHERE a.task_id = :task AND a.state = 'completed' ORDER BY a.position
        """,
        {"task": task},
    )
    return [_to_written(row) for row in rows]


async def article_counts(database: Database, task: TaskId) -> dict[ArticleState, int]:
    rows = await database.read(
        "SELECT state, count(*) AS n FROM edition_articles WHERE task_id = :task GROUP BY state",
        {"task": task},
    )
    found = {ArticleState(row["state"]): int(row["n"]) for row in rows}
    return {state: found.get(state, 0) for state in ArticleState}


async def article_failures(database: Database, task: TaskId) -> list[tuple[EditionFailure, int]]:
    """Why articles are not written, and how many for each reason; the most frequent first."""
    rows = await database.read(
        """
        SELECT last_error_code, last_error, count(*) AS n FROM edition_articles
        WHERE task_id = :task AND state <> 'completed' AND last_error_code IS NOT NULL
        GROUP BY last_error_code, last_error
        ORDER BY n DESC, last_error_code, last_error LIMIT :most
        """,
        {"task": task, "most": MOST_FAILURES},
    )
    return [(failure, int(row["n"])) for row in rows if (failure := to_failure(row))]


async def batches(database: Database, task: TaskId) -> list[Batch]:
    rows = await database.read(
        """
        SELECT batch_index, article_count, started_at, duration_seconds, outcome
        FROM edition_batches WHERE task_id = :task ORDER BY batch_index
        """,
        {"task": task},
    )
    return [
        Batch(
            index=row["batch_index"],
            articles=row["article_count"],
            started_at=moment(row["started_at"]),
            duration_seconds=row["duration_seconds"],
            outcome=BatchOutcome(row["outcome"]) if row["outcome"] else None,
        )
        for row in rows
    ]


def _held(article: ClaimedArticle) -> Held:
    return Held(key=article.id, claim=article.claim, name=f"article {article.id}")


def _to_claimed(row: Row) -> ClaimedArticle:
    return ClaimedArticle(
        id=row["id"],
        story_id=StoryId(row["story_id"]),
        claim=row["claim"],
        retry_count=row["retry_count"],
        material=row["material"],
    )


def _to_written(row: Row) -> WrittenArticle:
    changed = row["what_changed"]
    return WrittenArticle(
        story_id=StoryId(row["story_id"]),
        position=row["position"],
        section=Section(row["section"]),
        reason=from_text(StoryReason, row["reason"]),
        words=from_text(StoryWords, row["result"]),
        material=row["material"],
        fingerprint=row["fingerprint"],
        first_seen_at=moment(row["first_seen_at"]),
        what_changed=from_text(WhatChanged, changed) if changed else None,
    )
