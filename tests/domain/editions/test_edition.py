"""The states of an edition, what is done next in each, and what people may do (S002)."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clawfeed.domain.editions.delivery import DeliveryState
from clawfeed.domain.editions.edition import (
    MOVES,
    SYSTEM_SCOPE,
    ArchiveReason,
    ArticleState,
    EditionPlan,
    EditionTask,
    TaskState,
    plan_batches,
)
from clawfeed.domain.editions.edition_decision import (
    Aggregate,
    Archive,
    BatchOutcome,
    EditionFacts,
    EndBatches,
    FetchList,
    FinishBatch,
    FreeLapsed,
    IdleReason,
    NothingToDo,
    OpenBatch,
    Publish,
    RaiseAlarm,
    StartBatch,
    Step,
    after_failure,
    after_step,
    decide,
)
from clawfeed.domain.editions.edition_interventions import (
    ALLOWED_STATES,
    REOPENED_FOR,
    PersonMove,
    move_by_person,
)
from clawfeed.domain.editions.edition_period import EditionType
from clawfeed.domain.errors import InvalidInputError
from clawfeed.domain.ids import TaskId
from tests.support.clocks import NOON

DAY, MINUTE = timedelta(days=1), timedelta(minutes=1)
TWO_HOURS = timedelta(hours=2)
TASK = EditionTask(
    id=TaskId(1),
    scope=SYSTEM_SCOPE,
    type=EditionType.DAILY,
    period="2026-11-15",
    covers_from=NOON - DAY,
    covers_until=NOON,
    due_at=NOON,
    expires_at=NOON + DAY,
    started_at=NOON,
)
INIT, LIST_FETCHED, PROCESSING, AGGREGATING, PUBLISHED, ARCHIVED = TaskState


def task_in(state: TaskState, **changes: object) -> EditionTask:
    """A task as the machine or a person would have left it in *state*."""
    if state is PUBLISHED:
        changes = {"published_at": NOON, **changes}
    if state is ARCHIVED:
        changes = {
            "archived_from": PROCESSING,
            "archived_because": ArchiveReason.EXPIRED,
            **changes,
        }
    return replace(TASK, state=state, **changes)  # type: ignore[arg-type] # tests name real fields


@pytest.mark.parametrize(
    ("articles", "batch", "batches", "minutes"),
    [(30, 6, 5, 50), (1, 8, 1, 10), (0, 8, 0, 0), (17, 8, 3, 30)],
)
def test_the_plan_is_told_beforehand(articles: int, batch: int, batches: int, minutes: int) -> None:
    """(S002-11)."""
    plan = plan_batches(articles, batch, timedelta(minutes=10))

    assert plan == EditionPlan(batches=batches, duration=timedelta(minutes=minutes))


def test_every_state_knows_its_moves_and_two_of_them_are_final() -> None:
    """(S002-3, S002-8)."""
    final = {state for state in TaskState if task_in(state).is_over}

    assert {
        INIT: {LIST_FETCHED, ARCHIVED},
        LIST_FETCHED: {PROCESSING, ARCHIVED},
        PROCESSING: {AGGREGATING, ARCHIVED},
        AGGREGATING: {PUBLISHED, ARCHIVED},
        PUBLISHED: set(),
        ARCHIVED: set(),
    } == MOVES
    assert final == {PUBLISHED, ARCHIVED}


LIST = FetchList()
OPEN = OpenBatch(index=2, articles=8, completed=8)
SENT, PENDING = DeliveryState.SENT, DeliveryState.PENDING
DECISIONS: list[tuple[str, EditionTask, EditionFacts, Step]] = [
    ("S002-4", TASK, EditionFacts(), LIST),
    ("S002-5", task_in(LIST_FETCHED), EditionFacts(pending=30), StartBatch(index=1, size=8)),
    (
        "S002-17 no items",
        task_in(LIST_FETCHED),
        EditionFacts(),
        Archive(because=ArchiveReason.NO_ITEMS, is_warning=True),
    ),
    (
        "S002-6 next",
        task_in(PROCESSING, batch_index=2, batch_size=6),
        EditionFacts(pending=3, completed=12),
        StartBatch(index=3, size=6),
    ),
    ("S002-6 done", task_in(PROCESSING), EditionFacts(completed=7, failed=1), EndBatches()),
    (
        "S002-10 a batch runs",
        task_in(PROCESSING),
        EditionFacts(held=1, lapsed=2, pending=9, open_batch=OPEN),
        NothingToDo(reason=IdleReason.BATCH_RUNNING),
    ),
    (
        "S002-10 a crash",
        task_in(PROCESSING),
        EditionFacts(lapsed=2, pending=9, open_batch=OPEN),
        FreeLapsed(articles=2),
    ),
    (
        "S002-16 a row per batch",
        task_in(PROCESSING),
        EditionFacts(pending=9, completed=8, open_batch=OPEN),
        FinishBatch(index=2, outcome=BatchOutcome.SUCCESS),
    ),
    ("S002-7 gather", task_in(AGGREGATING), EditionFacts(completed=7, failed=1), Aggregate()),
    (
        "S002-17 all failed",
        task_in(AGGREGATING),
        EditionFacts(failed=8),
        NothingToDo(reason=IdleReason.NOTHING_COMPLETED),
    ),
    (
        "S002-17 one channel is missing",
        task_in(AGGREGATING),
        EditionFacts(completed=8, has_digest=True, deliveries=(SENT, PENDING)),
        NothingToDo(reason=IdleReason.WAITING_FOR_CHANNELS),
    ),
    (
        "S002-17 done or given up",
        task_in(AGGREGATING),
        EditionFacts(
            completed=8,
            has_digest=True,
            deliveries=(SENT, DeliveryState.FAILED, DeliveryState.UNCERTAIN),
        ),
        Publish(),
    ),
    (
        "S002-7 no channels",
        task_in(AGGREGATING),
        EditionFacts(completed=8, has_digest=True),
        Publish(),
    ),
    (
        "S002-8",
        task_in(PUBLISHED),
        EditionFacts(completed=8),
        NothingToDo(reason=IdleReason.PUBLISHED),
    ),
    (
        "archived",
        task_in(ARCHIVED),
        EditionFacts(pending=8),
        NothingToDo(reason=IdleReason.ARCHIVED),
    ),
]


@pytest.mark.parametrize(
    ("task", "facts", "step"),
    [row[1:] for row in DECISIONS],
    ids=[row[0] for row in DECISIONS],
)
def test_the_state_and_the_facts_say_what_is_done_next(
    task: EditionTask, facts: EditionFacts, step: Step
) -> None:
    assert decide(task, facts, NOON + MINUTE) == step


@pytest.mark.parametrize("state", [INIT, LIST_FETCHED, PROCESSING, AGGREGATING])
def test_a_new_day_archives_what_was_not_published_and_remembers_where_it_stood(
    state: TaskState,
) -> None:
    """(S002-13): with a warning only if it was being worked on."""
    task = task_in(state)

    step = decide(task, EditionFacts(held=3), NOON + DAY)
    after = after_step(task, step, NOON + DAY)

    assert step == Archive(because=ArchiveReason.EXPIRED, is_warning=state is PROCESSING)
    assert (after.state, after.archived_from) == (ARCHIVED, state)


def test_two_hours_ring_once_and_hold_nothing_up() -> None:
    """(S002-12)."""
    late = NOON + TWO_HOURS + MINUTE
    task = task_in(PROCESSING, batch_index=1)
    facts = EditionFacts(pending=3)

    on_time = decide(task, facts, NOON + TWO_HOURS)
    alarm = decide(task, facts, late)
    rung = after_step(task, alarm, late)

    assert on_time == StartBatch(index=2, size=8)
    assert alarm == RaiseAlarm(since=NOON)
    assert decide(rung, facts, late + DAY / 3) == StartBatch(index=2, size=8)


def test_an_edition_that_waits_for_its_readers_hour_is_not_late() -> None:
    """(S002-12): made at noon, delivered in the evening."""
    evening = NOON + timedelta(hours=7)
    facts = EditionFacts(completed=1, has_digest=True, deliveries=(PENDING,), deliver_from=evening)
    task = task_in(AGGREGATING)

    assert decide(task, facts, evening) == NothingToDo(reason=IdleReason.WAITING_FOR_CHANNELS)
    assert decide(task, facts, evening + TWO_HOURS + MINUTE) == RaiseAlarm(since=NOON)


def test_a_clock_that_went_back_begins_nothing() -> None:
    """(F15)."""
    for state in (INIT, PROCESSING, AGGREGATING):
        step = decide(task_in(state), EditionFacts(pending=3), NOON - MINUTE)
        assert step == NothingToDo(reason=IdleReason.NOT_DUE)


@pytest.mark.parametrize(
    ("completed", "outcome"), [(8, "success"), (7, "partial"), (1, "partial"), (0, "failed")]
)
def test_a_batch_comes_to_success_partial_or_failed(completed: int, outcome: str) -> None:
    """(S002-16)."""
    facts = EditionFacts(pending=1, open_batch=OpenBatch(index=1, articles=8, completed=completed))

    step = decide(task_in(PROCESSING, batch_index=1), facts, NOON)

    assert step == FinishBatch(index=1, outcome=BatchOutcome(outcome))


def test_an_article_is_tried_again_until_it_failed_for_good() -> None:
    """(S002-10)."""
    states, retries = [], 0
    for _ in range(4):
        state, retries = after_failure(retries)
        states.append(state)

    assert states == [ArticleState.PENDING] * 3 + [ArticleState.FAILED]
    assert retries == 3


@pytest.mark.parametrize(
    ("state", "step"),
    [(INIT, Publish()), (LIST_FETCHED, EndBatches()), (PUBLISHED, EndBatches()), (ARCHIVED, LIST)],
)
def test_no_state_is_skipped_and_none_is_left_for_good(state: TaskState, step: Step) -> None:
    """(S002-3)."""
    with pytest.raises(InvalidInputError, match=f"daily edition 2026-11-15 .* is {state}"):
        after_step(task_in(state), step, NOON)


def test_publication_has_its_moment() -> None:
    """(S002-7)."""
    after = after_step(task_in(AGGREGATING), Publish(), NOON)

    assert (after.state, after.published_at) == (PUBLISHED, NOON)


class House:
    """The tables around one task, with as many crashes and refusals as the dice say."""

    def __init__(self, articles: int, channels: int, dice: st.DataObject) -> None:
        self.retries: list[int] = []
        self.completed = self.failed = self.lapsed = 0
        self.batch: OpenBatch | None = None
        self.found = 0
        self.channels = channels
        self.deliveries: tuple[DeliveryState, ...] = ()
        self.has_digest = False
        self.dice = dice
        self._waiting = [0] * articles

    def facts(self) -> EditionFacts:
        return EditionFacts(
            pending=self.found and len(self._waiting),
            lapsed=self.lapsed,
            completed=self.completed,
            failed=self.failed,
            open_batch=self.batch,
            has_digest=self.has_digest,
            deliveries=self.deliveries,
        )

    def do(self, step: Step) -> None:
        match step:
            case FetchList():
                self.found = 1
            case StartBatch(index=index, size=size):
                taken, self._waiting = self._waiting[:size], self._waiting[size:]
                done = self.dice.draw(st.integers(0, len(taken)))
                self.completed += done
                self.retries = taken[done:]
                self.lapsed = len(self.retries)
                self.batch = OpenBatch(index=index, articles=len(taken), completed=done)
            case FreeLapsed():
                for retries in self.retries:
                    state, count = after_failure(retries)
                    if state is ArticleState.PENDING:
                        self._waiting.append(count)
                    else:
                        self.failed += 1
                self.lapsed = 0
            case FinishBatch():
                self.batch = None
            case Aggregate():
                assert not self.has_digest
                self.has_digest = True
                states = st.sampled_from(DeliveryState)
                self.deliveries = tuple(self.dice.draw(states) for _ in range(self.channels))
            case _:
                pass


ORDER = [INIT, LIST_FETCHED, PROCESSING, AGGREGATING, PUBLISHED]


@given(
    articles=st.integers(0, 30), channels=st.integers(0, 3), size=st.integers(1, 8), dice=st.data()
)
def test_whatever_crashes_it_ends_published_once_or_waits_for_a_reason(
    articles: int, channels: int, size: int, dice: st.DataObject
) -> None:
    """(S002-4, S002-5, S002-6, S002-7, S002-8, S002-10, S002-17; I6): never twice, none skipped."""
    house, task, now = House(articles, channels, dice), replace(TASK, batch_size=size), NOON
    steps: list[Step] = []
    while not isinstance(step := decide(task, house.facts(), now), NothingToDo):
        steps.append(step)
        house.do(step)
        after = after_step(task, step, now)
        if after.state not in {task.state, ARCHIVED}:
            assert ORDER.index(after.state) == ORDER.index(task.state) + 1
        task = after
        now += timedelta(seconds=dice.draw(st.integers(0, 600)))

    published = sum(isinstance(step, Publish) for step in steps)
    assert published == (task.state is PUBLISHED)
    assert not published or house.completed
    assert not published or all(delivery.is_settled for delivery in house.deliveries)
    assert (task.state, step.reason) in {
        (PUBLISHED, IdleReason.PUBLISHED),
        (ARCHIVED, IdleReason.ARCHIVED),
        (AGGREGATING, IdleReason.WAITING_FOR_CHANNELS),
        (AGGREGATING, IdleReason.NOTHING_COMPLETED),
    }


def test_a_reset_begins_again_and_the_alarm_may_ring_again() -> None:
    """(S002-12, S002-16)."""
    task = task_in(PROCESSING, batch_index=3, alarmed_at=NOON)

    after = move_by_person(
        task, PersonMove.RESET, EditionFacts(pending=3, failed=1), NOON + DAY / 2
    )

    assert after == replace(TASK, started_at=NOON + DAY / 2)


@pytest.mark.parametrize(
    ("archived_from", "facts", "state"),
    [
        (PROCESSING, EditionFacts(pending=2), PROCESSING),
        (AGGREGATING, EditionFacts(completed=2), AGGREGATING),
        (LIST_FETCHED, EditionFacts(), INIT),
        (INIT, EditionFacts(), INIT),
    ],
)
def test_a_reopened_edition_goes_on_where_it_stood_and_is_not_archived_at_once(
    archived_from: TaskState, facts: EditionFacts, state: TaskState
) -> None:
    """(S002-13)."""
    week_later = NOON + 7 * DAY
    task = task_in(ARCHIVED, archived_from=archived_from, alarmed_at=NOON)

    after = move_by_person(task, PersonMove.REOPEN, facts, week_later)

    assert (after.state, after.alarmed_at) == (state, None)
    assert (after.archived_from, after.archived_because) == (None, None)
    assert not isinstance(decide(after, facts, week_later + MINUTE), Archive | NothingToDo)
    assert isinstance(decide(after, facts, week_later + REOPENED_FOR), Archive)


def test_a_reopened_edition_has_at_least_the_time_it_had() -> None:
    """A monthly one that was archived early is not cut short by being reopened."""
    task = replace(TASK, state=TaskState.ARCHIVED, expires_at=NOON + 9 * DAY)

    after = move_by_person(task, PersonMove.REOPEN, EditionFacts(), NOON)

    assert after.expires_at == NOON + 9 * DAY


def test_every_article_counts_whatever_became_of_it() -> None:
    facts = EditionFacts(pending=1, held=2, lapsed=4, completed=8, failed=16)

    assert facts.articles == 31


def test_force_publishes_what_is_completed_and_waits_for_nothing_else() -> None:
    """(S002-16)."""
    facts = EditionFacts(pending=5, held=2, completed=1)

    after = move_by_person(task_in(PROCESSING), PersonMove.FORCE_PUBLISH, facts, NOON)

    assert decide(after, facts, NOON) == Aggregate()


@pytest.mark.parametrize("state", [PROCESSING, AGGREGATING])
def test_failed_articles_are_put_into_words_again(state: TaskState) -> None:
    """(S002-16)."""
    after = move_by_person(task_in(state), PersonMove.RETRY_FAILED, EditionFacts(failed=2), NOON)

    assert decide(after, EditionFacts(pending=2), NOON) == StartBatch(index=1, size=8)


@pytest.mark.parametrize(
    ("move", "state", "facts", "sentence"),
    [
        (
            "reset",
            AGGREGATING,
            EditionFacts(completed=1, has_digest=True),
            "on its way .* resend or drop",
        ),
        (
            "force_publish",
            PROCESSING,
            EditionFacts(pending=3),
            "no completed article.*retry .* or reset",
        ),
        ("retry_failed", PROCESSING, EditionFacts(pending=3), "no failed article"),
        ("retry_failed", AGGREGATING, EditionFacts(failed=3, has_digest=True), "written already"),
    ],
)
def test_what_makes_no_sense_is_refused_with_the_way_out(
    move: str, state: TaskState, facts: EditionFacts, sentence: str
) -> None:
    with pytest.raises(InvalidInputError, match=f"the daily edition 2026-11-15 .*{sentence}"):
        move_by_person(task_in(state), PersonMove(move), facts, NOON)


@pytest.mark.parametrize("move", PersonMove)
def test_a_state_in_which_a_person_cannot_do_it_says_so(move: PersonMove) -> None:
    """(S002-8): a published edition is left alone by all of them."""
    refused = set(TaskState) - ALLOWED_STATES[move]

    assert PUBLISHED in refused
    for state in refused:
        with pytest.raises(InvalidInputError, match=rf"2026-11-15 of system is {state}: \w+"):
            move_by_person(task_in(state), move, EditionFacts(completed=1, failed=1), NOON)
