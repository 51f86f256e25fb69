"""What a language model said before, by what it was asked: nobody pays twice for the same words."""

from __future__ import annotations

from datetime import datetime, timedelta

from clawfeed.storage.database import Database, Statement, Steps, execute
from clawfeed.storage.timestamps import seconds

# A week's stories are told again by the weekly and the monthly edition; after two months by none.
KEPT_UNUSED = timedelta(days=60)


class ModelAnswers:
    """Remembered answers, shared by all scopes: the key says what was asked, not for whom."""

    def __init__(self, database: Database) -> None:
        self._db = database

    async def recall(self, key: str, *, now: datetime) -> str | None:
        """The answer to this question, which is kept for longer now; None if there is none."""
        rows = await execute(
            self._db,
            "UPDATE model_answers SET used_at = :now WHERE key = :key RETURNING answer",
            {"key": key, "now": seconds(now)},
        )
        return str(rows[0]["answer"]) if rows else None

    async def remember(self, key: str, answer: str, *, now: datetime) -> None:
        """Keep an answer; the first that was given to a question stays."""

        def steps() -> Steps[None]:
            yield Statement(
                """
                INSERT INTO model_answers (key, answer, created_at, used_at)
                VALUES (:key, :answer, :now, :now)
                ON CONFLICT (key) DO NOTHING
                """,
                {"key": key, "answer": answer, "now": seconds(now)},
            )

        await self._db.run(steps)


async def remove_unused_answers(
    database: Database, *, now: datetime, kept: timedelta = KEPT_UNUSED
) -> int:
    """Forget answers nobody asked for since *kept*; returns how many."""
    rows = await execute(
        database,
        "DELETE FROM model_answers WHERE used_at < :limit RETURNING key",
        {"limit": seconds(now - kept)},
    )
    return len(rows)
