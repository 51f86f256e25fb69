"""Which stories are told: by parts that can be read, under quotas, and never to fill a page."""

from __future__ import annotations

from datetime import timedelta

from clawfeed.domain.editions.selection import (
    MOST_PER_SOURCE,
    MOST_STORIES,
    Candidate,
    DropReason,
    Score,
    StoryItem,
    choose,
    percentile,
    score,
)
from clawfeed.domain.ids import ItemId, SourceId
from tests.support.clocks import NOON


def item(
    item: int, *, source: int = 1, publisher: str = "a", age: float = 0, signal: float | None = None
) -> StoryItem:
    return StoryItem(
        item_id=ItemId(item),
        source_id=SourceId(source),
        publisher=publisher,
        at=NOON - timedelta(hours=age),
        signal=signal,
    )


def story(*items: StoryItem, interest: float = 0.0, is_muted: bool = False) -> Candidate:
    return Candidate(items=items, interest=interest, is_muted=is_muted)


def test_each_part_of_the_score_stands_for_itself() -> None:
    four = [item(n, publisher=name, age=12) for n, name in enumerate("abcd")]

    found = score(story(*four, item(9, publisher="a", age=24, signal=0.75), interest=0.5), NOON)

    assert found == Score(corroboration=2.0, signal=0.75, recency=0.5, interest=0.5)
    assert found.total == 3.75


def test_ten_feeds_of_one_house_are_one_publisher() -> None:
    house = story(*(item(n, source=n) for n in range(10)))

    assert score(house, NOON).corroboration == 0.0


def test_a_clock_that_is_ahead_makes_nothing_fresher_than_fresh() -> None:
    assert score(story(item(1, age=-5)), NOON).recency == 1.0


def test_a_source_tells_two_stories_at_most_and_an_edition_its_number() -> None:
    crowd = [story(item(n, source=1)) for n in range(4)]
    others = [story(item(100 + n, source=100 + n, age=1)) for n in range(MOST_STORIES)]

    verdicts = choose([*crowd, *others], NOON)

    chosen = [each for each in verdicts if each.dropped is None]
    dropped = [each.dropped for each in verdicts if each.dropped]
    assert len(chosen) == MOST_STORIES
    assert sum(each.candidate.items[0].source_id == 1 for each in chosen) == MOST_PER_SOURCE
    assert dropped == [DropReason.SOURCE_FULL] * 2 + [DropReason.EDITION_FULL] * 2


def test_a_quiet_day_is_short_and_muted_words_are_not_told() -> None:
    old, muted = story(item(1, age=48)), story(item(2, source=2), is_muted=True)

    verdicts = choose([old, muted], NOON)

    dropped = {each.candidate.items[0].item_id: each.dropped for each in verdicts}
    assert dropped == {1: DropReason.BELOW_FLOOR, 2: DropReason.MUTED}


def test_loud_is_what_exceeds_the_sources_own_usual() -> None:
    assert percentile(300, [10, 20, 30, 300]) == 0.875
    assert percentile(300, [700, 800, 900]) == 0.0
    assert percentile(300, []) == 0.5
