"""Editions of the simulated world, which knows what each of its items really tells."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from clawfeed.digest.selection.omitted_stories import left_out
from clawfeed.digest.selection.selection import SelectionInput, StoryVerdict, select_edition
from clawfeed.digest.selection.story_novelty import KnownStory
from clawfeed.domain.editions.edition_item import EditionItem
from clawfeed.domain.editions.story import Story, Telling
from clawfeed.domain.ids import DigestId, ItemId, SourceId, StoryId
from clawfeed.simulator import World
from clawfeed.simulator.news.feed_model import Feed
from clawfeed.simulator.news.feed_model import Story as Simulated

DAY = timedelta(days=1)


def simulated_items(
    world: World, feeds: Sequence[Feed], since: datetime, until: datetime
) -> dict[ItemId, tuple[EditionItem, str]]:
    """What *feeds* brought in [*since*, *until*), each with its event.

    Each feed is read with a delay of its own, up to seven hours: so it is in real collections, and
    so a happening is told on both sides of an edition's edge.
    """
    found: dict[ItemId, tuple[EditionItem, str]] = {}
    for number, feed in enumerate(feeds):
        delay = timedelta(hours=number % 8)
        first, last = world.count(feed, since - delay), world.count(feed, until - delay)
        for index in range(first, last):
            item = _item(world.story(feed, index), feed, number, delay)
            found[item.id] = (item, world.story(feed, index).event)
    return found


def _item(told: Simulated, feed: Feed, number: int, delay: timedelta) -> EditionItem:
    return EditionItem(
        id=ItemId(number * 1_000_000 + told.index),
        source_id=SourceId(number),
        source_name=feed.title,
        source_type="rss",
        publisher=f"{feed.id}.example",
        title=told.title,
        url=told.url,
        author=told.author,
        content=told.html,
        published_at=told.published_at,
        fetched_at=told.published_at + delay,
    )


@dataclass(slots=True)
class Scope:
    """What readers were told, day after day, as an edition's driver keeps it."""

    stories: dict[StoryId, KnownStory] = field(default_factory=dict)
    editions: int = 0

    def edition(self, items: Iterable[EditionItem], now: datetime) -> list[StoryVerdict]:
        """Select one, and remember what it told."""
        known = [each for each in self.stories.values() if now - each.story.last_seen_at < 7 * DAY]
        verdicts = select_edition(SelectionInput(items=list(items), known=known, now=now))
        self.editions += 1
        chosen = [verdict for verdict in verdicts if verdict.verdict.dropped is None]
        for verdict in [*chosen, *left_out(verdicts).best]:
            self._remember(verdict, now)
        return chosen

    def _remember(self, verdict: StoryVerdict, now: datetime) -> None:
        moments = [item.published_at or item.fetched_at for item in verdict.items]
        known = verdict.known
        story_id = known.story.id if known else StoryId(len(self.stories) + 1)
        story = Story(
            id=story_id,
            scope="system",
            title=verdict.title,
            lead=verdict.lead,
            first_seen_at=min(moments),
            last_seen_at=max(moments),
        )
        last = known.last if known else None
        if verdict.verdict.dropped is None:
            last = Telling(
                story_id=story_id,
                digest_id=DigestId(self.editions),
                headline=verdict.title,
                fingerprint=verdict.fingerprint,
                told_at=now,
            )
        self.stories[story_id] = KnownStory(story=story, last=last)
