"""What people may do with the system's daily edition, by its date (S002-12 to S002-16)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime

from clawfeed.digest.driver.driver import StepReport
from clawfeed.digest.driver.guarded_move import guarded_move
from clawfeed.digest.driver.lazy_driver import Drives
from clawfeed.digest.edition_config import EditionConfig
from clawfeed.digest.triggers.triggers import EditionTriggers
from clawfeed.domain.editions.edition import (
    SYSTEM_SCOPE,
    ArticleState,
    EditionPlan,
    EditionTask,
    plan_batches,
)
from clawfeed.domain.editions.edition_failure import EditionFailure
from clawfeed.domain.editions.edition_interventions import PersonMove, move_by_person
from clawfeed.domain.editions.edition_period import EditionType, period_at, period_named
from clawfeed.domain.editions.edition_scope import task_of_period
from clawfeed.domain.errors import (
    InvalidInputError,
    LeaseLostError,
    NotFoundError,
    RefusalCode,
)
from clawfeed.domain.ids import DigestId, TaskId
from clawfeed.storage.audit import Hand
from clawfeed.storage.database import Database
from clawfeed.storage.digests.digests import DigestStore
from clawfeed.storage.editions.edition_articles import (
    Batch,
    article_counts,
    article_failures,
    batches,
)
from clawfeed.storage.editions.edition_facts import edition_facts
from clawfeed.storage.editions.edition_transitions import MovedTask, save_move
from clawfeed.storage.editions.editions import EditionStore
from clawfeed.storage.outbox.delivery_states import Delivery, deliveries_of

NOTHING_COLLECTED = (
    "nothing was collected yet, so there is no edition to make: "
    "`clawfeed collect` polls the sources that are due"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class EditionStatus:
    """Where an edition stands. *plan* is for the articles it has (S002-11).

    *article_failures* are why articles are not written, each with how many.
    """

    task: EditionTask
    articles: Mapping[ArticleState, int]
    batches: tuple[Batch, ...]
    plan: EditionPlan
    article_failures: tuple[tuple[EditionFailure, int], ...]
    digest_id: DigestId | None
    deliveries: tuple[Delivery, ...] = ()


class EditionAdmin:
    """The system's editions by date (`2026-11-18`); without one, today's."""

    def __init__(
        self,
        database: Database,
        driver: Drives,
        triggers: EditionTriggers,
        config: EditionConfig,
        clock: Callable[[], datetime],
    ) -> None:
        self._db, self._driver, self._triggers = database, driver, triggers
        self._config, self._clock = config, clock
        self._store, self._digests = EditionStore(database), DigestStore(database)

    async def status(self, date: str | None = None) -> EditionStatus:
        """`NotFoundError` if no edition of that date was begun."""
        return await self.status_of((await self._task(date)).id)

    async def status_of(self, task_id: TaskId) -> EditionStatus:
        task = await self._store.get(task_id)
        articles = await article_counts(self._db, task_id)
        digest = await self._digests.id_of_task(task_id)
        return EditionStatus(
            task=task,
            articles=articles,
            batches=tuple(await batches(self._db, task_id)),
            plan=plan_batches(sum(articles.values()), task.batch_size, self._config.interval),
            article_failures=tuple(await article_failures(self._db, task_id)),
            digest_id=digest,
            deliveries=tuple(await deliveries_of(self._db, digest)) if digest else (),
        )

    async def start(self, date: str | None = None, *, hand: Hand) -> EditionStatus:
        """Have today's edition made by the triggers; one of an earlier date must be reopened.

        If it was not there, who began it is written down with it.
        """
        return await self.status_of((await self._begun(date, hand)).id)

    async def run_to_end(
        self,
        date: str | None = None,
        on_step: Callable[[StepReport], None] = lambda _: None,
        *,
        hand: Hand,
    ) -> EditionStatus:
        """From where it stands to the end, however many triggers that would take (S002-14)."""
        task = await self._begun(date, hand)
        if not task.is_over:
            await self._driver.run_to_end(task.id, on_step, hand=hand)
        return await self.status_of(task.id)

    async def move(
        self,
        move: PersonMove,
        date: str | None,
        *,
        hand: Hand,
        max_retries: int | None = None,
    ) -> EditionStatus:
        """Do what a person asked for; `InvalidInputError` with the way out where it makes no sense.

        Whoever works on the edition at this moment loses it: its late results change nothing. Who
        did it is written down with it.
        """
        return await self._moved(move, await self._task(date), hand, max_retries)

    async def move_task(self, move: PersonMove, task_id: TaskId, *, hand: Hand) -> EditionStatus:
        """The same for any edition, a reader's own too."""
        return await self._moved(move, await self._store.get(task_id), hand, None)

    async def advance(self, task_id: TaskId, *, hand: Hand) -> StepReport:
        """One move now, as the next trigger would make it (S002-2); a fault becomes its sentence.

        What is over stays as it is.
        """
        task = await self._store.get(task_id)
        [report] = await guarded_move(self._driver, task, to_end=False, hand=hand)
        return report

    async def _moved(
        self, move: PersonMove, task: EditionTask, hand: Hand, max_retries: int | None
    ) -> EditionStatus:
        facts = await edition_facts(self._db, task)
        after = move_by_person(task, move, facts, hand.now)
        tries = self._config.max_retries if max_retries is None else max_retries
        moved = MovedTask(
            before=task,
            after=after,
            move=move,
            hand=hand,
            retries_used=max(0, self._config.max_retries - tries),
        )
        try:
            await save_move(self._db, moved)
        except LeaseLostError as error:
            raise InvalidInputError(
                f"{task.title} moved on this very moment: look at it again",
                RefusalCode.EDITION_MOVED,
            ) from error
        return await self.status_of(task.id)

    async def _begun(self, date: str | None, hand: Hand) -> EditionTask:
        """The task of *date*; today's is made if it is not there yet."""
        if date is None or date == self._today():
            await self._triggers.plan_system(hand)
            if date is None and await self._find(self._today()) is None:
                raise NotFoundError(NOTHING_COLLECTED, RefusalCode.NOTHING_COLLECTED)
        return await self._task(date)

    async def _task(self, date: str | None) -> EditionTask:
        name = date or self._today()
        found = await self._find(name)
        if found is None:
            raise NotFoundError(
                f"no edition of {name} was begun", RefusalCode.EDITION_NOT_BEGUN, date=name
            )
        return found

    async def _find(self, date: str) -> EditionTask | None:
        period = period_named(EditionType.DAILY, date, self._config.calendar)
        return await self._store.find(
            task_of_period(SYSTEM_SCOPE, period, batch_size=1, language="")
        )

    def _today(self) -> str:
        return period_at(EditionType.DAILY, self._clock(), self._config.calendar).name
