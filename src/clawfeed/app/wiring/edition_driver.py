"""Who makes editions, built: who chooses, who writes. Heavy: import it when one is made."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from clawfeed.app.clock import system_clock
from clawfeed.app.processes.worker_names import worker_name
from clawfeed.app.settings.config import Config
from clawfeed.app.settings.model_settings import model_config
from clawfeed.app.wiring.delivery import dispatch_of
from clawfeed.digest.driver.article_batch import BatchWriter
from clawfeed.digest.driver.composer import Composer, Spending, no_spending
from clawfeed.digest.driver.driver import EditionDriver
from clawfeed.digest.edition_config import EditionConfig
from clawfeed.digest.edition_lists.list_maker import EditionListMaker
from clawfeed.digest.model.writer import model_writers
from clawfeed.digest.summaries.full_text import FullTextWriter
from clawfeed.digest.summaries.lead_writer import LeadWriter
from clawfeed.digest.summaries.rollup_writer import TellingsWriter
from clawfeed.digest.summaries.title_and_summary import TopicHeading
from clawfeed.digest.writer_interface import EditionHeadingWriter, StoryMaterial, StoryWriter
from clawfeed.domain.editions.edition import EditionTask
from clawfeed.domain.editions.edition_scope import MADE_FROM
from clawfeed.storage.database import Database
from clawfeed.storage.spending.model_spend import spend_of_task

if TYPE_CHECKING:
    from clawfeed.app.wiring.fetching import SourceTools


# Without a model writing is quick; what takes time is a page to be read in full.
STORIES_AT_ONCE = 4

OpenTools: TypeAlias = Callable[[], "Awaitable[SourceTools]"]
Enrich: TypeAlias = Callable[[StoryMaterial], Awaitable[StoryMaterial]]


async def built_driver(
    config: Config, settings: EditionConfig, database: Database, open_tools: OpenTools
) -> EditionDriver:
    """A driver on *database*; *open_tools* opens the door out and the parsers."""
    tools = await open_tools()
    writers = _writers(config, database, tools)
    return EditionDriver(
        database,
        lists=EditionListMaker(database, settings),
        batches=BatchWriter(
            database,
            writers.story,
            system_clock,
            max_retries=settings.max_retries,
            at_once=stories_at_once(config),
        ),
        composer=Composer(
            database,
            writers.heading,
            system_clock,
            writers.spending,
            dispatch_of(config, database),
        ),
        clock=system_clock,
        worker=worker_name(),
        max_retries=settings.max_retries,
    )


def stories_at_once(config: Config) -> int:
    """Of all editions of this process: as many as the model may be asked about, or a few."""
    return max(STORIES_AT_ONCE, config.model.concurrency)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Writers:
    """Who writes an edition's stories and its heading, and what that cost."""

    story: Callable[[EditionTask], StoryWriter]
    heading: Callable[[EditionTask], EditionHeadingWriter]
    spending: Spending = no_spending


def _writers(config: Config, database: Database, tools: SourceTools) -> _Writers:
    """With a model, its words; without, or where it fails, those of the sources."""
    enrich = tools.full_text.enrich if config.editions.full_text else None
    from_items = model_writers(
        model_config(config),
        egress=tools.egress,
        database=database,
        clock=system_clock,
        fallback_story=LeadWriter(),
        fallback_heading=TopicHeading(),
    )
    if from_items is None:
        return _Writers(
            story=lambda task: (
                TellingsWriter() if task.type in MADE_FROM else _enriched(LeadWriter(), enrich)
            ),
            heading=lambda _: TopicHeading(),
        )
    from_tellings = replace(from_items, fallback_story=TellingsWriter())

    def story(task: EditionTask) -> StoryWriter:
        if task.type in MADE_FROM:
            return from_tellings.for_edition(task.id).story
        return _enriched(from_items.for_edition(task.id).story, enrich)

    return _Writers(
        story=story,
        heading=lambda task: from_items.for_edition(task.id).heading,
        spending=partial(spend_of_task, database),
    )


def _enriched(writer: StoryWriter, enrich: Enrich | None) -> StoryWriter:
    return FullTextWriter(writer=writer, enrich=enrich) if enrich else writer
