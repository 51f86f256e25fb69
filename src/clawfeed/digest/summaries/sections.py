"""Where in an edition its stories stand, and how long it takes to read them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Final

from clawfeed.digest.summaries.length import count_characters, count_words
from clawfeed.domain.editions.digest import DigestStory, Section

# An adult's usual pace with news, silently and to the end.
WORDS_PER_MINUTE: Final = 230
CHARACTERS_PER_MINUTE: Final = 400
_ORDER: Final = {section: place for place, section in enumerate(Section)}


def order_by_section(stories: Iterable[DigestStory]) -> tuple[DigestStory, ...]:
    """*stories* by section; within one, the best first, and equal ones in the order given."""
    return tuple(
        sorted(stories, key=lambda story: (_ORDER[story.section], -story.reason.score.total))
    )


def story_texts(stories: Sequence[DigestStory]) -> list[str]:
    """All that is read of *stories*: headlines and sentences, not the lines about their sources."""
    return [
        text
        for story in stories
        for text in (story.words.headline, *(each.text for each in story.words.sentences))
    ]


def minutes_for(texts: Iterable[str]) -> int:
    """How long *texts* take to read, in whole minutes, at least one."""
    words = characters = 0
    for text in texts:
        words += count_words(text)
        characters += count_characters(text)
    return max(1, math.ceil(words / WORDS_PER_MINUTE + characters / CHARACTERS_PER_MINUTE))
