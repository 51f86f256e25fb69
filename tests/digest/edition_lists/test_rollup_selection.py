"""Weeks and months tell what lasted, not what was loud."""

from __future__ import annotations

from datetime import timedelta

from clawfeed.digest.edition_lists.rollup_list import lasting_list
from clawfeed.digest.edition_lists.rollup_selection import (
    WELL_CORROBORATED,
    LastingStory,
    select_lasting,
)
from clawfeed.domain.editions.digest import (
    DigestContent,
    DigestNumbers,
    DigestStory,
    Section,
    Sentence,
    StoryReason,
    StorySource,
    StoryWords,
    WordsBy,
)
from clawfeed.domain.editions.edition_period import EditionType
from clawfeed.domain.editions.interests import Interest, InterestKind, ReaderInterests
from clawfeed.domain.editions.selection import MOST_PER_SOURCE, MOST_STORIES, DropReason, Score
from clawfeed.domain.ids import SourceId, StoryId
from tests.support.clocks import NOON
from tests.support.editions import NEW

DAY = timedelta(days=1)


def told(
    story: int,
    *,
    publishers: tuple[str, ...] = ("a.example",),
    source: int | None = None,
    days: int = 0,
    headline: str = "h",
    signal: float = 0.0,
) -> DigestStory:
    first = story if source is None else source
    return DigestStory(
        story_id=StoryId(story),
        section=Section.NOTEWORTHY,
        words=StoryWords(
            headline=headline, sentences=(Sentence(text="s"),), by=WordsBy.LEAD, language="en"
        ),
        sources=tuple(
            StorySource(
                number=n,
                source_name=f"Source {first + n}",
                publisher=publisher,
                title="t",
                published_at=NOON,
                source_id=SourceId(first + n * 1000),
            )
            for n, publisher in enumerate(publishers)
        ),
        reason=StoryReason(
            score=Score(corroboration=0, signal=signal, recency=1, interest=0),
            publishers=len(publishers),
            days_told=days,
        ),
        first_seen_at=NOON,
    )


def edition(day: int, *stories: DigestStory) -> DigestContent:
    return DigestContent(
        type=EditionType.DAILY,
        period=f"day {day}",
        covers_from=NOON + (day - 1) * DAY,
        covers_until=NOON + day * DAY,
        made_at=NOON + day * DAY,
        language="en",
        zone="UTC",
        title="t",
        summary=(),
        numbers=DigestNumbers(items=0, sources=0, stories=len(stories), minutes=1),
        stories=stories,
    )


def chosen(stories: list[LastingStory]) -> list[int]:
    return [story.story_id for story in stories if story.dropped is None]


MANY = tuple(f"p{n}.example" for n in range(8))


def test_days_told_go_before_loudness_and_corroboration_decides_among_equals() -> None:
    """(S001-19): a weekly reads dailies."""
    loud = told(1, publishers=MANY, signal=1.0)
    steady = [told(2), told(2, headline="later")]
    broad = [told(3, publishers=MANY[:2]), told(3)]

    found = select_lasting([edition(2, steady[1], broad[1]), edition(1, loud, steady[0], broad[0])])

    assert chosen(found) == [3, 2, 1]
    assert found[1].tellings == tuple(steady)
    assert found[1].reason.days_told == 2
    assert found[1].reason.score.lasting == 1.0
    assert found[1].section is Section.DEVELOPING
    assert found[2].section is Section.TOP


def test_what_was_told_once_gets_in_only_if_many_told_it() -> None:
    few, enough = told(1, publishers=MANY[:3]), told(2, publishers=MANY[:WELL_CORROBORATED])

    found = {story.story_id: story.dropped for story in select_lasting([edition(1, few, enough)])}

    assert found == {1: DropReason.BELOW_FLOOR, 2: None}


def test_publishers_of_all_days_count_and_feeds_of_a_house_are_one() -> None:
    days = [("a.example",), ("x.a.example", "b.example")]

    [found] = select_lasting([edition(n, told(1, publishers=p)) for n, p in enumerate(days)])

    assert found.reason.publishers == 2


def test_a_month_counts_the_days_its_weeks_counted() -> None:
    weeks = [edition(7, told(1, days=2), told(2, days=5)), edition(14, told(1, days=2))]

    found = select_lasting(weeks)

    assert [(story.story_id, story.reason.days_told) for story in found] == [(2, 5), (1, 4)]


def test_a_source_has_its_share_and_an_edition_its_number() -> None:
    crowd = [told(n, source=500) for n in range(1, 5)]
    others = [told(n, source=n * 10, headline="x") for n in range(100, 100 + MOST_STORIES)]

    found = select_lasting([edition(1, *crowd, *others), edition(2, *crowd, *others)])

    assert len(chosen(found)) == MOST_STORIES
    assert sum(number < 5 for number in chosen(found)) == MOST_PER_SOURCE
    assert {story.dropped for story in found} == {
        None, DropReason.SOURCE_FULL, DropReason.EDITION_FULL,
    }  # fmt: skip


def test_what_was_muted_meanwhile_is_left_out() -> None:
    mute = Interest(kind=InterestKind.MUTED, text="football")
    days = [edition(n, told(1, headline="Football final"), told(2)) for n in (1, 2)]

    found = select_lasting(days, ReaderInterests(interests=(mute,)))

    assert {story.story_id: story.dropped for story in found} == {1: DropReason.MUTED, 2: None}
    listed = lasting_list(found, days, NEW)
    assert [story.known for story in listed.stories] == [2], "counted, and never named"
    assert listed.left_out == {DropReason.MUTED: 1}
