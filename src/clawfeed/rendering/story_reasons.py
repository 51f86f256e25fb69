"""Why a story is in, in words a person believes: what stands behind the parts of its score."""

from __future__ import annotations

import math
from collections.abc import Iterator
from datetime import datetime, timedelta

from clawfeed.domain.editions.digest import DigestStory
from clawfeed.rendering.dates import age
from clawfeed.rendering.safe_text import one_line
from clawfeed.rendering.wording import Phrase, Wording

# Below this a story was ordinary for its source, and saying so would be no reason.
POPULAR_FROM = 0.7
# Younger than this it is new to whoever reads the edition on time.
FRESH_AGE = timedelta(hours=3)


def reason_sentence(story: DigestStory, made_at: datetime, wording: Wording) -> str:
    """One sentence: the strongest reasons, each with the fact behind it."""
    return wording.say(Phrase.WHY, reasons=reasons_listed(story, made_at, wording))


def reasons_listed(story: DigestStory, made_at: datetime, wording: Wording) -> str:
    """The same without the words around them."""
    return wording.say(Phrase.AND).join(_reasons(story, made_at, wording))


def _reasons(story: DigestStory, made_at: datetime, wording: Wording) -> Iterator[str]:
    reason = story.reason
    if reason.publishers > 1:
        yield wording.say(Phrase.TOLD_BY_MANY, publishers=f"{reason.publishers:,}")
    elif story.sources:
        yield wording.say(Phrase.TOLD_BY_ONE, publisher=_teller(story))
    if reason.loud_at and reason.score.signal >= POPULAR_FROM:
        yield wording.say(
            Phrase.LOUD, percent=_loudest(reason.score.signal), source=one_line(reason.loud_at)
        )
    if reason.interests:
        yield _interests(reason.interests, wording)
    if reason.days_told:
        yield wording.say(Phrase.DAYS_TOLD, days=f"{reason.days_told:,}")
    # What was told for hours is not new because one more tells it, nor what bears no date.
    is_dated = all(source.is_dated for source in story.sources)
    first = min((source.published_at for source in story.sources), default=None)
    if first is not None and is_dated and timedelta() <= made_at - first < FRESH_AGE:
        yield wording.say(Phrase.FRESH, age=age(made_at - first, wording.language))


def _teller(story: DigestStory) -> str:
    first = story.sources[0]
    return one_line(first.source_name) or one_line(first.publisher)


def _loudest(signal: float) -> str:
    """The share of its source's items that were as loud, in whole percent, at least one."""
    # Rounded first: 1 - 0.97 is a little over 0.03, and 3 % would be told as 4.
    return f"{max(1, math.ceil(round((1 - signal) * 100, 6)))}"


def _interests(interests: tuple[str, ...], wording: Wording) -> str:
    phrase = Phrase.INTEREST if len(interests) == 1 else Phrase.INTERESTS
    quoted = [wording.say(Phrase.QUOTED, text=one_line(each)) for each in interests]
    return wording.say(phrase, interests=wording.say(Phrase.LISTED).join(quoted))
