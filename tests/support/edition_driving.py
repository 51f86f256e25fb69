"""A driver of editions with stories and words that a test decides about."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from clawfeed.digest.driver.article_batch import BatchWriter
from clawfeed.digest.driver.composer import Composer
from clawfeed.digest.driver.driver import EditionDriver
from clawfeed.digest.writer_interface import EditionHeading, SourceText, StoryMaterial
from clawfeed.domain.editions.digest import (
    DigestStory,
    Section,
    Sentence,
    StoryReason,
    StorySource,
    StoryWords,
    WordsBy,
)
from clawfeed.domain.editions.edition import EditionTask
from clawfeed.domain.editions.edition_decision import ARTICLE_LEASE
from clawfeed.domain.editions.edition_list import ChosenStory, EditionList, ListedStory
from clawfeed.domain.editions.selection import DropReason, Score
from clawfeed.domain.ids import StoryId
from clawfeed.storage import dead_workers
from clawfeed.storage.database import Database
from clawfeed.storage.editions.edition_claims import EDITION_TABLES
from clawfeed.storage.editions.edition_json import to_text
from clawfeed.storage.leases import Holder
from tests.support.clocks import NOON, FakeClock

SCORE = Score(corroboration=1.0, signal=0.5, recency=0.5, interest=0.0)


def chosen(number: int) -> ListedStory:
    """Story *number* of a list, to be put into words."""
    source = StorySource(
        number=1, source_name="A", publisher="a.example", title=f"t{number}", published_at=NOON
    )
    material = StoryMaterial(
        story_id=StoryId(0), texts=(SourceText(source=source, text=f"t{number}"),), language="en"
    )
    return ListedStory(
        title=f"story {number}",
        lead="",
        first_seen_at=NOON,
        last_seen_at=NOON,
        score=SCORE,
        chosen=ChosenStory(
            section=Section.NOTEWORTHY,
            reason=StoryReason(score=SCORE),
            material=to_text(material),
            fingerprint=f"f{number}",
        ),
    )


DROPPED = ListedStory(
    title="left out",
    lead="",
    first_seen_at=NOON,
    last_seen_at=NOON,
    score=SCORE,
    dropped=DropReason.EDITION_FULL,
)


@dataclass
class Lists:
    """So many stories, and one that is left out; *fault* is raised instead, once."""

    stories: int = 3
    fault: Exception | None = None
    fetched: list[EditionTask] = field(default_factory=list)

    async def fetch(self, task: EditionTask) -> EditionList:
        self.fetched.append(task)
        if self.fault:
            fault, self.fault = self.fault, None
            raise fault
        found = [chosen(number) for number in range(1, self.stories + 1)]
        return EditionList(
            stories=(*found, DROPPED) if found else (),
            items=10,
            sources=2,
            left_out={DropReason.EDITION_FULL: 1},
        )


@dataclass
class Words:
    """Writes each story once its gate is open; *faults* says how often a title fails first."""

    gate: asyncio.Event = field(default_factory=asyncio.Event)
    faults: dict[str, int] = field(default_factory=dict)
    begun: list[str] = field(default_factory=list)
    _another: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self.gate.set()

    async def until_begun(self, number: int) -> None:
        while len(self.begun) < number:
            self._another.clear()
            await self._another.wait()

    async def write(self, material: StoryMaterial) -> StoryWords:
        title = material.texts[0].source.title
        self.begun.append(title)
        self._another.set()
        await self.gate.wait()
        if self.faults.get(title, 0) > 0:
            self.faults[title] -= 1
            raise ValueError("no words for it")
        return StoryWords(
            headline=f"{title} by {len(self.begun)}",
            sentences=(Sentence(text="so", cites=(1,)),),
            by=WordsBy.LEAD,
            language="en",
        )


class Front:
    async def write(self, stories: Sequence[DigestStory], language: str) -> EditionHeading:
        return EditionHeading(title=f"{len(stories)} stories, {language}", summary=("one", "two"))


def driver_of(
    database: Database,
    *,
    lists: Lists | None = None,
    words: Words | None = None,
    clock: Callable[[], datetime] | None = None,
    worker: str = "one",
    max_retries: int = 3,
    lease: timedelta = ARTICLE_LEASE,
) -> EditionDriver:
    clock, words = clock or FakeClock(), words or Words()
    return EditionDriver(
        database,
        lists=lists or Lists(),
        batches=BatchWriter(database, lambda _: words, clock, max_retries=max_retries),
        composer=Composer(database, lambda _: Front(), clock),
        clock=clock,
        worker=worker,
        max_retries=max_retries,
        lease=lease,
    )


async def take_back(database: Database, worker: str) -> None:
    """As if *worker* were known to be dead."""
    await dead_workers.take_back(database, EDITION_TABLES, [worker])


HOLDER = Holder(worker="another", lease=timedelta(minutes=15))
