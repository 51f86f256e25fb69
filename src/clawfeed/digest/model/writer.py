"""The words of an edition by a language model, story by story; what it cannot do the sources do."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TypeVar

from clawfeed.digest.model.answer import SaidStory, read_heading, read_story
from clawfeed.digest.model.answer_cache import CachedQuestion, Memory
from clawfeed.digest.model.circuit_breaker import Breaker
from clawfeed.digest.model.client import ModelClient
from clawfeed.digest.model.config import ModelConfig
from clawfeed.digest.model.fallback_sentences import mended
from clawfeed.digest.model.grounding.check import CitedSources, CitedText
from clawfeed.digest.model.model_calls import ModelCaller, ModelCalls
from clawfeed.digest.model.prompt import (
    ShownText,
    heading_key,
    heading_prompt,
    shown_texts,
    story_key,
    story_prompt,
)
from clawfeed.digest.model.untrusted_text import title_without_orders, without_orders
from clawfeed.digest.writer_interface import (
    EditionHeading,
    EditionHeadingWriter,
    SourceText,
    StoryMaterial,
    StoryWriter,
)
from clawfeed.domain.editions.digest import DigestStory, Sentence, StoryWords, WordsBy
from clawfeed.domain.errors import ModelError
from clawfeed.domain.ids import TaskId
from clawfeed.egress.client import Egress
from clawfeed.storage.database import Database
from clawfeed.storage.spending.model_answers import ModelAnswers
from clawfeed.storage.spending.model_spend import ModelSpend

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelWriter:
    """Writes stories of one edition. Never fails for the model's faults: the lead is there."""

    memory: Memory
    caller: ModelCaller
    fallback: StoryWriter

    async def write(self, material: StoryMaterial) -> StoryWords:
        """The model's sentences that its sources bear out, and the lead's for the others.

        Memory, reservation, call, shape, grounding, settlement: whatever fails on the way, or is
        late, leaves the fallback's words.
        """
        texts = shown_texts(material)
        said = await _on_time(lambda: self._said(texts, material.language), self.caller)
        if said is None:
            return await self._lead(material)
        return await self._grounded(said, texts, material)

    async def _said(self, texts: Sequence[ShownText], language: str) -> SaidStory | None:
        if not texts:
            return None
        model, now = self.memory.calls.config.model, self.memory.clock()
        ids, names = {text.id for text in texts}, _names(texts)

        def read(answer: str) -> str:
            return _stored(read_story(answer, ids, names=names))

        question = CachedQuestion(
            key=story_key(texts, language, model=model),
            prompt=story_prompt(texts, language, now=now),
            read=read,
        )
        answer = await self.memory.answer(question, self.caller)
        return read_story(answer, ids, names=names)

    async def _grounded(
        self, said: SaidStory, texts: Sequence[ShownText], material: StoryMaterial
    ) -> StoryWords:
        cited = CitedSources([_ground(text) for text in texts])
        numbers = {text.id: text.number for text in texts}
        is_founded = bool(said.headline) and cited.citing(said.headline, ()) is not None
        sentences = [
            _cited(each.text, cited.citing(each.text, each.cites) if each.text else None, numbers)
            for each in said.sentences
        ]
        refused = sentences.count(None) + (not is_founded)
        if not refused:
            kept = tuple(each for each in sentences if each is not None)
            return _words(said.headline, kept, material.language, 0)
        lead = await self._lead(material)
        whole = mended(sentences, lead.sentences)
        if whole is None:
            return StoryWords(
                headline=lead.headline,
                sentences=lead.sentences,
                by=lead.by,
                language=lead.language,
                ungrounded=refused,
            )
        headline = said.headline if is_founded else lead.headline
        return _words(headline, whole, material.language, refused)

    async def _lead(self, material: StoryMaterial) -> StoryWords:
        """The sources' own words, without what they say to models."""
        texts = tuple(_without_orders(each) for each in material.texts)
        return await self.fallback.write(replace(material, texts=texts))


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelHeading:
    """Writes what stands above one edition's stories, from the words they have already."""

    memory: Memory
    caller: ModelCaller
    fallback: EditionHeadingWriter

    async def write(self, stories: Sequence[DigestStory], language: str) -> EditionHeading:
        """The model's title and lines; the fallback's where the stories do not bear them out."""
        said = await _on_time(lambda: self._said(stories, language), self.caller)
        if said is None:
            return await self.fallback.write(stories, language)
        cited = CitedSources(
            [CitedText(id=place, text=_told(each)) for place, each in enumerate(stories, 1)]
        )
        is_titled = bool(said.title) and cited.citing(said.title, ()) is not None
        founded = [line for line in said.summary if line and cited.citing(line, ()) is not None]
        is_whole = len(founded) == len(said.summary)
        if is_titled and is_whole:
            return said
        plain = await self.fallback.write(stories, language)
        return EditionHeading(
            title=said.title if is_titled else plain.title,
            summary=said.summary if is_whole else plain.summary,
        )

    async def _said(self, stories: Sequence[DigestStory], language: str) -> EditionHeading | None:
        if not stories:
            return None
        model, now = self.memory.calls.config.model, self.memory.clock()
        names = "\n".join(each.words.headline for each in stories)

        def read(answer: str) -> str:
            found = read_heading(answer, names=names)
            return json.dumps({"title": found.title, "summary": found.lines}, ensure_ascii=False)

        question = CachedQuestion(
            key=heading_key(stories, language, model=model),
            prompt=heading_prompt(stories, language, now=now),
            read=read,
        )
        found = read_heading(await self.memory.answer(question, self.caller), names=names)
        return EditionHeading(title=found.title, summary=found.lines)


@dataclass(frozen=True, slots=True, kw_only=True)
class EditionWriters:
    """Who writes one edition."""

    story: ModelWriter
    heading: ModelHeading


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelWriters:
    """What a process needs to write with a model: made once, then asked for each edition."""

    memory: Memory
    fallback_story: StoryWriter
    fallback_heading: EditionHeadingWriter
    breakers: dict[TaskId, Breaker] = field(default_factory=dict)

    def for_edition(self, task_id: TaskId | None = None) -> EditionWriters:
        """Writers for one step of an edition, with the edition's own patience.

        The clock runs from the first step; steps that follow soon share it.
        """
        caller = ModelCaller(task_id=task_id, breaker=self._breaker(task_id))
        return EditionWriters(
            story=ModelWriter(memory=self.memory, caller=caller, fallback=self.fallback_story),
            heading=ModelHeading(memory=self.memory, caller=caller, fallback=self.fallback_heading),
        )

    def _breaker(self, task_id: TaskId | None) -> Breaker:
        time = self.memory.calls.config.edition_time
        if task_id is None:
            return Breaker(time)
        for known in [known for known, each in self.breakers.items() if not each.is_current]:
            del self.breakers[known]
        return self.breakers.setdefault(task_id, Breaker(time))


def model_writers(
    config: ModelConfig | None,
    *,
    egress: Egress,
    database: Database,
    clock: Callable[[], datetime],
    fallback_story: StoryWriter,
    fallback_heading: EditionHeadingWriter,
) -> ModelWriters | None:
    """Writers that ask the configured model; None if there is none."""
    if config is None:
        return None
    calls = ModelCalls(
        config=config,
        client=ModelClient(config, egress=egress, clock=clock),
        spend=ModelSpend(database, config.cap, model=config.model),
        clock=clock,
    )
    memory = Memory(calls=calls, answers=ModelAnswers(database), clock=clock)
    return ModelWriters(
        memory=memory, fallback_story=fallback_story, fallback_heading=fallback_heading
    )


async def _on_time(said: Callable[[], Awaitable[_T | None]], caller: ModelCaller) -> _T | None:
    """What was said, or None: nothing to ask, no answer, or too late for this edition."""
    try:
        async with asyncio.timeout(caller.breaker.left.total_seconds()):
            return await said()
    except (ModelError, TimeoutError):
        return None


def _without_orders(text: SourceText) -> SourceText:
    title = title_without_orders(text.source.title, text.text)
    source = replace(text.source, title=title or text.source.source_name)
    return replace(text, source=source, text=without_orders(text.text))


def _names(texts: Sequence[ShownText]) -> str:
    return "\n".join(f"{text.publisher}\n{text.title}" for text in texts)


def _ground(text: ShownText) -> CitedText:
    whole = f"{text.title}.\n{text.text}.\n{text.publisher}"
    return CitedText(id=text.id, text=whole, published_at=text.published_at)


def _told(story: DigestStory) -> str:
    return ".\n".join([story.words.headline, *(each.text for each in story.words.sentences)])


def _stored(said: SaidStory) -> str:
    sentences = [{"text": each.text, "cites": each.cites} for each in said.sentences]
    return json.dumps({"headline": said.headline, "sentences": sentences}, ensure_ascii=False)


def _cited(text: str, cites: Sequence[int] | None, numbers: dict[int, int]) -> Sentence | None:
    if cites is None:
        return None
    return Sentence(text=text, cites=tuple(sorted(numbers[each] for each in cites)))


def _words(
    headline: str, sentences: tuple[Sentence, ...], language: str, ungrounded: int
) -> StoryWords:
    return StoryWords(
        headline=headline,
        sentences=sentences,
        by=WordsBy.MODEL,
        language=language,
        ungrounded=ungrounded,
    )
