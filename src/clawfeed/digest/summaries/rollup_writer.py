"""A story of a week or a month, from what shorter editions said: how it stands, how it began."""

from __future__ import annotations

import asyncio
from typing import Final

from clawfeed.digest.summaries.headline import clean_headline
from clawfeed.digest.summaries.language import guess_language
from clawfeed.digest.summaries.lead import choose_lead, cut_at_clause, finished
from clawfeed.digest.summaries.length import length_in_words
from clawfeed.digest.summaries.sentences import split_sentences
from clawfeed.digest.summaries.word_overlap import bag_of, share_in
from clawfeed.digest.writer_interface import SourceText, StoryMaterial
from clawfeed.domain.editions.digest import Sentence, StoryWords, WordsBy

# Above this share of its words the beginning is the latest state told again.
_MOST_TOLD: Final = 0.6
_LONGEST_BEGINNING: Final = 35.0
# Without it a reader takes what happened first for what happened last.
_IT_BEGAN: Final = {"en": "It began: ", "zh": "起初："}


class TellingsWriter:
    """Writes a story from its earlier tellings (`StoryWriter`): *texts* are their words.

    The latest comes first, then what the story began with, if that is something else. Each
    sentence cites the telling it is from.
    """

    async def write(self, material: StoryMaterial) -> StoryWords:
        return await asyncio.to_thread(write_from_tellings, material)


def write_from_tellings(material: StoryMaterial) -> StoryWords:
    """The words of one story; pure."""
    newest_first = sorted(material.texts, key=lambda text: text.source.published_at, reverse=True)
    spoken = [text for text in newest_first if text.text.strip()]
    headline = clean_headline(newest_first[0].source.title) if newest_first else ""
    latest = _latest(spoken[0]) if spoken else ()
    began = _began(spoken, headline, latest)
    words = " ".join([headline, *(sentence.text for sentence in latest)])
    return StoryWords(
        headline=headline,
        sentences=(*latest, *began),
        by=WordsBy.TELLINGS,
        language=guess_language(words) or material.language,
    )


def _latest(text: SourceText) -> tuple[Sentence, ...]:
    chosen = choose_lead(split_sentences(text.text))
    return tuple(Sentence(text=finished(each), cites=(text.source.number,)) for each in chosen)


def _began(
    newest_first: list[SourceText], headline: str, latest: tuple[Sentence, ...]
) -> tuple[Sentence, ...]:
    if len(newest_first) < 2:
        return ()
    oldest = newest_first[-1]
    known = bag_of(" ".join([headline, *(sentence.text for sentence in latest)]))
    for sentence in split_sentences(oldest.text)[:2]:
        if share_in(bag_of(sentence), known) <= _MOST_TOLD:
            return (_beginning(sentence, oldest.source.number),)
    return ()


def _beginning(sentence: str, number: int) -> Sentence:
    if length_in_words(sentence) > _LONGEST_BEGINNING:
        sentence = cut_at_clause(sentence, _LONGEST_BEGINNING)
    began = _IT_BEGAN.get(guess_language(sentence), "")
    return Sentence(text=began + finished(sentence), cites=(number,))
