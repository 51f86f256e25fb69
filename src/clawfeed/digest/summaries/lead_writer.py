"""A story in its sources' own words: the best one's lead, and one sentence that another adds."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from clawfeed.digest.summaries.headline import clean_headline
from clawfeed.digest.summaries.language import guess_language, is_written_in
from clawfeed.digest.summaries.lead import choose_lead, finished, telling_sentences
from clawfeed.digest.summaries.length import length_in_words
from clawfeed.digest.summaries.word_overlap import (
    Bag,
    bag_of,
    centroid,
    contradicts,
    likeness,
    names_in,
    share_in,
)
from clawfeed.digest.writer_interface import SourceText, StoryMaterial
from clawfeed.domain.editions.digest import Sentence, StoryWords, WordsBy

# Sources read for the one sentence, and sentences of each: leads say it early or not at all.
_MOST_OTHERS: Final = 8
_MOST_OF_EACH: Final = 5
# A lead that is cut short tells less than a whole one of the next source.
_GOOD_LEAD: Final = 12.0
_ADDED_LENGTHS: Final = (6.0, 40.0)
# What is added must be about the story, and new: a share of its words, and a number of them.
_LEAST_ABOUT: Final = 0.18
_MOST_TOLD: Final = 0.5
_LEAST_NEW: Final = 3
# Of its source's headline: selection errs now and then, and two stories of one firm are two.
_LEAST_SHARED: Final = 0.35
# They point to what stood before them, in a text that the reader does not see.
_POINTS_BACK: Final = frozenset(
    {
        "he", "she", "it", "its", "they", "their", "his", "her", "this", "that", "these", "those",
        "but", "and", "or", "so", "however", "meanwhile", "also", "then", "instead", "still",
        "yet", "such", "there", "here", "otherwise", "moreover", "additionally", "furthermore",
        "similarly", "for", "nor", "thus", "therefore", "we", "i", "you", "my", "our", "what",
        "why", "how", "both", "another",
    }
)  # fmt: skip
_POINTS_BACK_CHINESE: Final = (
    "他", "她", "它", "这", "该", "但", "而", "并", "因此", "所以", "此外", "另外", "同时", "其中",
    "其", "不过", "然而", "对此", "据此", "也", "还", "我", "你", "此前", "之后", "随后", "那",
    "这些",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class _Telling:
    """A source's part in the story: its sentences, in the language they are in."""

    number: int
    headline: str
    sentences: list[str]
    is_readable: bool  # in the readers' language

    @property
    def lead(self) -> list[str]:
        return choose_lead(self.sentences)


class LeadWriter:
    """Writes a story without a model (`StoryWriter`). Every sentence is one of its sources'.

    Texts in the readers' language come first; where there are none, it takes what there is. A
    story that has nothing but titles gets a headline and no sentences.
    """

    async def write(self, material: StoryMaterial) -> StoryWords:
        # 1.5 ms a story, and hostile texts more: others go on meanwhile.
        return await asyncio.to_thread(write_lead, material)


def write_lead(material: StoryMaterial) -> StoryWords:
    """The words of one story; pure."""
    tellings = [_telling(text, material.language) for text in material.texts]
    tellings.sort(key=lambda telling: not telling.is_readable)
    best = _best(tellings)
    headline = _headline(tellings, best, material.language)
    sentences = _sentences(tellings, best, headline) if best else ()
    told = " ".join([headline, *(sentence.text for sentence in sentences)])
    return StoryWords(
        headline=headline,
        sentences=sentences,
        by=WordsBy.LEAD,
        language=guess_language(told) or material.language,
    )


def _sentences(tellings: Sequence[_Telling], best: _Telling, headline: str) -> tuple[Sentence, ...]:
    lead = [Sentence(text=finished(text), cites=(best.number,)) for text in best.lead]
    return (*lead, *_added(tellings, best, headline))


def _telling(text: SourceText, language: str) -> _Telling:
    source = text.source
    headline = clean_headline(
        source.title,
        source_name=source.source_name,
        publisher=source.publisher,
        about=text.text,
    )
    return _Telling(
        number=source.number,
        headline=headline,
        sentences=telling_sentences(text.text, headline),
        is_readable=is_written_in(f"{source.title} {text.text}", language),
    )


def _best(tellings: Sequence[_Telling]) -> _Telling | None:
    """The first with a lead worth the name, else the one with most to say.

    Readers would rather have little in their language than much in another.
    """
    spoken = [telling for telling in tellings if telling.sentences]
    spoken = [telling for telling in spoken if telling.is_readable] or spoken
    for telling in spoken:
        if sum(map(length_in_words, telling.lead)) >= _GOOD_LEAD:
            return telling
    return max(spoken, key=lambda each: sum(map(length_in_words, each.lead)), default=None)


def _headline(tellings: Sequence[_Telling], best: _Telling | None, language: str) -> str:
    """The best source's, if the readers can read it; else the first that they can."""
    first = [] if best is None else [best]
    found = [each.headline for each in (*first, *tellings) if each.headline]
    readable = (headline for headline in found if is_written_in(headline, language))
    return next(readable, found[0] if found else "")


def _added(tellings: Sequence[_Telling], best: _Telling, headline: str) -> tuple[Sentence, ...]:
    """The one sentence of another source that is most about the story and least told already."""
    others = [each for each in tellings if each.number != best.number][:_MOST_OTHERS]
    about = centroid([headline, *best.lead, *(each.headline for each in others)])
    told = " ".join([headline, *best.lead])
    known, language = bag_of(told), guess_language(told)
    found = [
        (_worth(sentence, about, told), -each.number, sentence)
        for each in others
        if share_in(bag_of(each.headline), known) >= _LEAST_SHARED
        for sentence in each.sentences[:_MOST_OF_EACH]
        if _may_be_added(sentence, told, language)
    ]
    worth, number, sentence = max(found, default=(0.0, 0, ""))
    return (Sentence(text=finished(sentence), cites=(-number,)),) if worth > 0 else ()


def _may_be_added(sentence: str, told: str, language: str) -> bool:
    shortest, longest = _ADDED_LENGTHS
    first = sentence.lstrip("\"“'‘(").partition(" ")[0].lower().rstrip(",'’s")
    return (
        shortest <= length_in_words(sentence) <= longest
        and sentence[0] not in "\"“‘「『'"  # a quote whose speaker was named before
        and first not in _POINTS_BACK
        and not sentence.startswith(_POINTS_BACK_CHINESE)
        and not sentence.endswith(("?", "？"))
        and is_written_in(sentence, language)
        and bool(names_in(sentence) & names_in(told))
        and not contradicts(sentence, told)
    )


def _worth(sentence: str, about: Bag, told: str) -> float:
    """How much it adds: about the story, less what is told (MMR); 0 for what may not be added."""
    words, known = bag_of(sentence), bag_of(told)
    shared = share_in(words, known)
    new = len(words.keys() - known.keys())
    relevance = likeness(words, about)
    if relevance < _LEAST_ABOUT or shared > _MOST_TOLD or new < _LEAST_NEW:
        return 0.0
    return relevance - 0.5 * likeness(words, known)
