"""A simulated model on loopback, and writers that ask it."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path

from clawfeed.digest.model.config import ModelConfig
from clawfeed.digest.model.writer import EditionWriters, ModelWriters, model_writers
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
from clawfeed.domain.editions.selection import Score
from clawfeed.domain.ids import StoryId
from clawfeed.domain.secret import Secret
from clawfeed.egress.client import Egress
from clawfeed.simulator import Entry, Fault, Misbehaviour, World, demo_world, read_journal
from clawfeed.simulator.services.language_model import MODEL_NAME
from clawfeed.storage.database import Database
from tests.support.clocks import NOON, FakeClock
from tests.support.origin import door, on_stage

PATH = "/llm/v1/chat/completions"
KEY = "sk-KEYCANARY-3b1946ac92492d23"
LEAD = "The lead as its source wrote it."


class Leads:
    """The words without a model, counted."""

    def __init__(self) -> None:
        self.written = 0
        self.seen: list[StoryMaterial] = []

    async def write(self, material: StoryMaterial) -> StoryWords:
        self.written += 1
        self.seen.append(material)
        sentence = Sentence(text=LEAD, cites=(material.texts[0].source.number,))
        return StoryWords(
            headline="A headline of its source",
            sentences=(sentence,),
            by=WordsBy.LEAD,
            language=material.language,
        )


class PlainHeading:
    async def write(self, stories: Sequence[DigestStory], language: str) -> EditionHeading:
        del stories, language
        return EditionHeading(title="Plain title", summary=("Plain line.",))


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelStage:
    """A running model, and a process' worth of writers."""

    writers: ModelWriters
    world: World
    url: str
    journal: Path
    clock: FakeClock
    egress: Egress
    leads: Leads = field(default_factory=Leads)

    def asked(self) -> list[Entry]:
        return [entry for entry in read_journal(self.journal) if entry.path == PATH]

    def misbehave(self, how: Misbehaviour, times: int | None = None) -> None:
        self.world.misbehave(PATH, how, times)

    def says(self, content: str) -> None:
        """From now on the model says this, whatever it is asked."""
        body = json.dumps({"choices": [{"message": {"role": "assistant", "content": content}}]})
        self.answers(body)

    def answers(self, body: str) -> None:
        how = Misbehaviour(fault=Fault.OTHER_BODY, body=body, content_type="application/json")
        self.misbehave(how)

    def edition(self) -> EditionWriters:
        return self.writers.for_edition()


def config_at(url: str) -> ModelConfig:
    return ModelConfig(
        api_url=f"{url}/llm/v1",
        model=MODEL_NAME,
        api_key=Secret(KEY),
        timeout=timedelta(seconds=20),
        edition_time=timedelta(seconds=60),
    )


@asynccontextmanager
async def staged_model(
    folder: Path, database: Database, **changes: object
) -> AsyncIterator[ModelStage]:
    """A model on loopback, asked through the real door; *changes* are fields of `ModelConfig`."""
    clock, leads = FakeClock(), Leads()
    world = demo_world(seed=7, clock=lambda: NOON)
    journal = folder / "model.jsonl"
    async with on_stage(world, journal) as stage, door(stage.url, clock=clock) as egress:
        config = replace(config_at(stage.url), **changes)  # type: ignore[arg-type]  # by name
        writers = model_writers(
            config,
            egress=egress,
            database=database,
            clock=clock,
            fallback_story=leads,
            fallback_heading=PlainHeading(),
        )
        assert writers is not None
        yield ModelStage(
            writers=writers,
            world=world,
            url=stage.url,
            journal=journal,
            clock=clock,
            egress=egress,
            leads=leads,
        )


def material(*texts: str, number: int = 1, language: str = "en") -> StoryMaterial:
    """A story told by *texts*: the first sentence of each is its title."""
    chosen = texts or (
        "Harwick opens its bridge. The bridge over the Orla cost $3.2 million, the mayor said.",
        "A bridge for Harwick. Some 1,200 people walked across the new bridge on Saturday.",
    )
    return StoryMaterial(
        story_id=StoryId(number),
        language=language,
        texts=tuple(
            SourceText(
                source=StorySource(
                    number=place,
                    source_name=f"Source {place}",
                    publisher=f"publisher{place}",
                    title=text.split(". ")[0],
                    published_at=NOON,
                    url=f"https://publisher{place}.example/{number}",
                ),
                text=text.partition(". ")[2] or text,
            )
            for place, text in enumerate(chosen, 1)
        ),
    )


def story_of(words: StoryWords, number: int = 1) -> DigestStory:
    return DigestStory(
        story_id=StoryId(number),
        section=Section.TOP,
        words=words,
        sources=tuple(text.source for text in material().texts),
        reason=StoryReason(score=Score(corroboration=1, signal=0, recency=0, interest=0)),
        first_seen_at=NOON,
    )


def all_text(words: StoryWords) -> str:
    return "\n".join([words.headline, *(sentence.text for sentence in words.sentences)])
