"""What is told: events of the world, and one feed's words for each of them.

Two feeds that tell the same event share its facts (names, places, numbers) and differ in wording,
so that clustering has something true to find.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from clawfeed.simulator.news.deterministic_random import RandomDraws, roll
from clawfeed.simulator.news.events import TOPICS, Topic
from clawfeed.simulator.news.feed_model import BEATS, Feed, Language, Story
from clawfeed.simulator.news.filler_news import SMALL_NEWS, parts_of
from clawfeed.simulator.news.invented_names import (
    AUTHORS,
    FIRMS,
    INSTITUTES,
    PARAGRAPHS,
    PARAGRAPHS_ZH,
    PEOPLE,
    PLACES,
    Pair,
)

# Something everybody talks about happens once in this time, on every beat.
NEWS_CYCLE = timedelta(hours=8)
# How many of a hundred feeds of a beat join in when it does, and of how many beats each tells.
COVERAGE_SHARE = 75
MOST_COMMON = 2
TOPICS_OF: Mapping[str, Sequence[Topic]] = {
    beat: [topic for topic in TOPICS if topic.beat == beat] for beat in BEATS
}
NO_PARTS: Mapping[str, Pair] = {}
_YEAR_ZERO = datetime.fromisoformat("2000-01-01T00:00:00+00:00")


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Facts, the same for everybody who tells them."""

    topic: Topic
    words: tuple[dict[str, str], dict[str, str]]  # English, Chinese


def news_slot(at: datetime) -> int:
    """Which round of common news a moment belongs to."""
    return (at - _YEAR_ZERO) // NEWS_CYCLE


def tell(seed: int, feed: Feed, index: int, *, url: str, at: datetime, place: int) -> Story:
    """Item *index* of *feed*: some common news of the round, or a story of the feed's own.

    *place* is how many items of the feed came before it in the round: the first ones tell the
    common news, each of another beat.
    """
    draws = RandomDraws(seed, feed.id, index)
    slot = news_slot(at)
    joins_in = draws.below(100) < COVERAGE_SHARE
    beat = feed.beats[(roll(seed, feed.id, slot) + place) % len(feed.beats)]
    is_common = joins_in and place < min(MOST_COMMON, len(feed.beats))
    event = _common_event(seed, beat, slot) if is_common else _own_event(seed, feed, index)
    return Story(
        feed=feed.id,
        index=index,
        url=url,
        guid=f"tag:{feed.id}.example,2026:{index}",
        title=_title(event, feed.language, draws),
        author=draws.pick(AUTHORS)[feed.language == Language.CHINESE],
        html=_body(event, feed, draws),
        beat=event.topic.beat,
        published_at=at,
        event=f"{beat}/{slot}" if is_common else f"{feed.id}/{index}",
        dice=draws.below(2**64),
    )


def _common_event(seed: int, beat: str, slot: int) -> Event:
    topics = TOPICS_OF[beat]
    # Topics take turns, and so do those they tell of: when a kind of event comes back, it has
    # happened to somebody else.
    turn, number = divmod(slot + roll(seed, beat) % 1000, len(topics))
    return _event(topics[number], RandomDraws(seed, beat, slot), firm=turn + number)


def _own_event(seed: int, feed: Feed, index: int) -> Event:
    beat = feed.beats[index % len(feed.beats)]
    draws = RandomDraws(seed, feed.id, index, "own")
    topic = draws.pick(SMALL_NEWS[beat])
    return _event(topic, draws, parts=parts_of(beat, draws))


def _event(
    topic: Topic, draws: RandomDraws, *, firm: int = 0, parts: Mapping[str, Pair] = NO_PARTS
) -> Event:
    firms = FIRMS[topic.beat]
    number = firm % len(firms)
    pairs: dict[str, Pair] = {
        "who": firms[number],
        "other": firms[(number + draws.between(1, len(firms) - 1)) % len(firms)],
        "inst": draws.pick(INSTITUTES),
        "place": draws.pick(PLACES),
        "person": draws.pick(PEOPLE),
        **parts,
    }
    numbers = {
        "n": str(draws.between(11, 98)),
        "few": str(draws.between(4, 10)),
        "pct": str(draws.between(12, 38)),
        "most": str(draws.between(61, 94)),
        "m": str(draws.between(12, 98) * 10),
    }
    english, chinese = ({name: pair[i] for name, pair in pairs.items()} | numbers for i in (0, 1))
    return Event(topic=topic, words=(english, chinese))


def _title(event: Event, language: Language, draws: RandomDraws) -> str:
    is_chinese = language == Language.CHINESE
    wordings = event.topic.headlines_zh if is_chinese else event.topic.headlines
    return _capital(draws.pick(wordings).format(**event.words[is_chinese]))


def _body(event: Event, feed: Feed, draws: RandomDraws) -> str:
    is_chinese = feed.language == Language.CHINESE
    words = event.words[is_chinese]
    lead = event.topic.lead_zh if is_chinese else draws.pick(event.topic.leads)
    pool = PARAGRAPHS_ZH if is_chinese else PARAGRAPHS
    more, first = draws.between(*feed.paragraphs) - 1, draws.below(len(pool))
    texts = [lead, *(pool[(first + number) % len(pool)] for number in range(more))]
    # Names may hold an ampersand; nothing else in the vocabulary means anything in HTML.
    told = [_capital(text.format(**words)).replace("&", "&amp;") for text in texts]
    if feed.is_dressed:
        return "\n".join(_dress(text, number, feed) for number, text in enumerate(told))
    return "<p>" + "</p>\n<p>".join(told) + "</p>"


def _dress(text: str, number: int, feed: Feed) -> str:
    """A paragraph as content systems write it: a link, emphasis, every other time a picture."""
    home = f"https://{feed.id}.example"
    start, _, rest = text.partition(" ")
    paragraph = (
        f'<p class="wp-block-paragraph"><strong>{start}</strong> '
        f'<a href="{home}/topics/{number}?utm_source=rss&amp;utm_medium=feed" target="_blank" '
        f'rel="noreferrer noopener" class="link link--inline">{rest[:24]}</a>{rest[24:]}</p>'
    )
    if number % 2:
        return paragraph
    picture = f"{home}/wp-content/uploads/2026/11/picture-{number}"
    return (
        f'{paragraph}\n<figure class="wp-block-image size-large"><img loading="lazy" '
        f'decoding="async" width="1024" height="683" src="{picture}-1024x683.jpg" alt="{start}" '
        f'class="wp-image-{number}" srcset="{picture}-1024x683.jpg 1024w, {picture}-300x200.jpg '
        f'300w" sizes="(max-width: 1024px) 100vw, 1024px"/><figcaption class="wp-element-caption">'
        f"<em>{start}</em></figcaption></figure>"
    )


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]
