"""From items to stories with reasons: joined, told once, wished for, muted, explained."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clawfeed.digest.selection.omitted_stories import left_out
from clawfeed.digest.selection.selection import SelectionInput, StoryVerdict, select_edition
from clawfeed.digest.selection.story_novelty import KnownStory
from clawfeed.domain.editions.digest import Section, WhatChanged
from clawfeed.domain.editions.edition_item import EditionItem
from clawfeed.domain.editions.interests import Interest, InterestKind, ReaderInterests, Vote
from clawfeed.domain.editions.selection import MOST_PER_SOURCE, DropReason
from clawfeed.domain.editions.story import AlreadyTold, ChangedStory, NewStory, Story, Telling
from clawfeed.domain.ids import DigestId, StoryId
from tests.support.clocks import NOON
from tests.support.edition_items import edition_item

FERRY = edition_item(1, "Ferry strike stops all traffic to the islands", hours=3)
FERRY_TOO = edition_item(2, "All ferry traffic to the islands stops in strike", hours=2)
# A day has other news, by which words are weighed.
OTHERS = [
    edition_item(90, "Council votes to keep the old harbour crane"),
    edition_item(91, "Rain ends a month of drought in the south"),
    edition_item(92, "Orchestra names a conductor from its own ranks"),
    edition_item(93, "新图书馆在河边开放"),
]
DAY = timedelta(days=1)
NO_INTERESTS = ReaderInterests()


def select(
    *items: EditionItem,
    usual: Sequence[EditionItem] = (),
    interests: ReaderInterests = NO_INTERESTS,
) -> list[StoryVerdict]:
    given = SelectionInput(items=[*items, *OTHERS], usual=usual, interests=interests, now=NOON)
    return select_edition(given)


def story_of(item: EditionItem, verdicts: list[StoryVerdict]) -> StoryVerdict:
    [found] = [each for each in verdicts if item.id in {one.id for one in each.items}]
    return found


def known(verdict: StoryVerdict, *, number: int = 7, is_told: bool = True) -> KnownStory:
    """What the day after knows of a story that was selected."""
    story = Story(
        id=StoryId(number),
        scope="system",
        title=verdict.title,
        lead=verdict.lead,
        first_seen_at=NOON - timedelta(hours=5),
        last_seen_at=NOON - timedelta(hours=2),
    )
    telling = Telling(
        story_id=story.id,
        digest_id=DigestId(1),
        headline=verdict.title,
        fingerprint=verdict.fingerprint,
        told_at=NOON,
    )
    return KnownStory(story=story, last=telling if is_told else None)


def tomorrow(
    *items: EditionItem, of: KnownStory, more: tuple[KnownStory, ...] = ()
) -> StoryVerdict:
    later = [replace(item, published_at=NOON + DAY, fetched_at=NOON + DAY) for item in items]
    given = SelectionInput(items=[*later, *OTHERS], known=[of, *more], now=NOON + DAY)
    return story_of(items[0], select_edition(given))


def test_what_several_tell_is_one_story_that_says_why_it_is_in() -> None:
    """(S001-19)."""
    third = edition_item(
        3, "Islands cut off as ferry strike stops traffic", publisher="x.p1.example"
    )
    fourth = edition_item(4, "Strike: ferry traffic to islands stops", publisher="p4.example")

    found = story_of(FERRY, select(FERRY, FERRY_TOO, third, fourth))

    assert {item.id for item in found.items} == {1, 2, 3, 4}
    assert found.reason.publishers == 3
    assert found.section is Section.TOP
    assert isinstance(found.news, NewStory)
    assert found.verdict.dropped is None
    assert found.reason.score == found.verdict.score


def test_people_on_one_platform_are_as_many_voices_and_feeds_of_a_house_are_one() -> None:
    posts = [
        edition_item(n, FERRY.title, publisher="x.com", author=name)
        for n, name in ((1, "ann"), (2, "bob"))
    ]
    feeds = [
        edition_item(n, FERRY.title, publisher=host)
        for n, host in ((1, "news.example.co.uk"), (2, "example.co.uk"))
    ]

    assert story_of(posts[0], select(*posts)).reason.publishers == 2
    assert story_of(feeds[0], select(*feeds)).reason.publishers == 1


@pytest.mark.parametrize("host", ["127.0.0.1", "2001:db8::1", "newsbox"])
def test_a_machine_without_a_name_is_no_house(host: str) -> None:
    """What stands behind a bare address may be anybody: each source speaks for itself."""
    feeds = [edition_item(n, FERRY.title, publisher=host) for n in (1, 2)]

    assert story_of(feeds[0], select(*feeds)).reason.publishers == 2


def test_a_story_told_yesterday_is_not_told_again_in_other_words() -> None:
    """(S001-19): one more who copies it is no news either."""
    told = known(story_of(FERRY, select(FERRY)))

    again = tomorrow(FERRY_TOO, of=told)

    assert again.known == told
    assert isinstance(again.news, AlreadyTold)
    assert again.verdict.dropped is DropReason.ALREADY_TOLD


def test_a_story_with_a_new_number_says_what_changed() -> None:
    told = known(story_of(FERRY, select(FERRY)))
    text = "The strike goes on. By evening 4,300 people were stuck on the islands. Talks are open."
    newer = edition_item(3, "Ferry strike: 4,300 stuck as all traffic to the islands stops", text)

    changed = tomorrow(newer, FERRY_TOO, of=told)

    assert isinstance(changed.news, ChangedStory)
    assert changed.verdict.dropped is None
    assert changed.section is Section.DEVELOPING
    assert changed.what_changed == WhatChanged(
        told_at=NOON,
        headline=FERRY.title,
        news="By evening 4,300 people were stuck on the islands.",
    )


def test_a_story_keeps_its_identity_told_or_not_and_the_last_told_goes_on() -> None:
    first = story_of(FERRY, select(FERRY))
    untold, told = known(first, number=3, is_told=False), known(first, number=9)

    assert tomorrow(FERRY_TOO, of=untold).known == untold
    assert isinstance(tomorrow(FERRY_TOO, of=untold).news, NewStory)
    assert tomorrow(FERRY_TOO, of=untold, more=(told,)).known == told
    assert tomorrow(FERRY_TOO, of=told, more=(untold,)).known == told


def test_what_is_told_again_is_measured_by_everything_that_was_told() -> None:
    """The second day's fingerprint holds the first day's facts too."""
    begin = edition_item(1, "Ferry strike stops all 120 trips to the islands", hours=3)
    first = known(story_of(begin, select(begin)))
    newer = edition_item(3, "Ferry strike: 4,300 stuck as trips to the islands stop")
    second = known(tomorrow(newer, of=first))
    again = edition_item(4, "Strike stops trips by ferry to the islands, all 120")
    late = replace(again, published_at=NOON + 2 * DAY, fetched_at=NOON + 2 * DAY)

    given = SelectionInput(items=[late, *OTHERS], known=[second], now=NOON + 2 * DAY)

    assert isinstance(tomorrow(newer, of=first).news, ChangedStory)
    assert isinstance(story_of(late, select_edition(given)).news, AlreadyTold)


def test_interests_lift_a_story_and_are_named_and_votes_lower_one() -> None:
    wish = Interest(kind=InterestKind.TOPIC, text="Sea: ferry, harbour", weight=2)
    less = Vote(headline="Drought ends with rain", vote=-1)

    verdicts = select(FERRY, interests=ReaderInterests(interests=(wish,), votes=(less,)))

    found = story_of(FERRY, verdicts)
    assert (found.reason.interests, found.verdict.score.interest) == (("Sea",), 2.0)
    assert found.section is Section.INTEREST
    assert story_of(OTHERS[1], verdicts).verdict.score.interest < -0.2
    assert story_of(OTHERS[2], verdicts).verdict.score.interest == 0


def test_what_stood_out_at_its_source_says_where() -> None:
    quiet = [edition_item(n, f"Quiet {n}", source=1, metadata={"score": n}) for n in range(10, 20)]
    loud = edition_item(1, "Ask: who maintains the lighthouse?", source=1, metadata={"score": 400})

    found = story_of(loud, select(loud, usual=quiet))

    assert found.reason.loud_at == "Source 1"
    assert found.section is Section.COMMUNITY
    assert found.verdict.score.signal > 0.9


def test_of_what_is_left_out_the_best_are_shown_and_all_counted_but_nothing_muted() -> None:
    mute = Interest(kind=InterestKind.MUTED, text="ferry")
    old = [edition_item(n, title, hours=30) for n, title in enumerate(OLD, 20)]

    rest = left_out(select(FERRY, *old, interests=ReaderInterests(interests=(mute,))), most=2)

    assert rest.counts == {DropReason.MUTED: 1, DropReason.BELOW_FLOOR: 3}
    assert [each.verdict.dropped for each in rest.best] == [DropReason.BELOW_FLOOR] * 2


OLD = ("Roman cellar found", "Gothic bell rings again", "Loom of a weaver restored")
words = st.sampled_from(
    [
        "ferry",
        "strike",
        "harbour",
        "tunnel",
        "orchestra",
        "足球",
        "football",
        "island",
        "crane",
        "rain",
        "council",
        "4,300",
    ]
)
titles = st.lists(words, min_size=1, max_size=6).map(" ".join)
items = st.lists(st.tuples(titles, titles, st.integers(1, 4), st.integers(0, 60)), max_size=25)


def as_items(drawn: list[tuple[str, str, int, int]]) -> list[EditionItem]:
    return [
        edition_item(number, title, text, source=source, hours=hours)
        for number, (title, text, source, hours) in enumerate(drawn, 1)
    ]


@settings(deadline=None, max_examples=30)
@given(items, st.data())
def test_every_item_is_in_one_story_whatever_order_they_come_in(
    drawn: list[tuple[str, str, int, int]], data: st.DataObject
) -> None:
    """And no source leads more stories than its share; a muted word never gets through."""
    given_items = as_items(drawn)
    shuffled = data.draw(st.permutations(given_items))
    mutes = tuple(Interest(kind=InterestKind.MUTED, text=t) for t in ("football", "足球"))
    wishes = ReaderInterests(interests=mutes)

    one = select_edition(SelectionInput(items=given_items, interests=wishes, now=NOON))
    other = select_edition(SelectionInput(items=shuffled, interests=wishes, now=NOON))

    assert one == other
    assert sorted(item.id for story in one for item in story.items) == [i.id for i in given_items]
    chosen = [story for story in one if story.verdict.dropped is None]
    for story in chosen:
        assert not any("football" in f"{i.title} {i.content}" for i in story.items)
        assert not any("足球" in f"{i.title} {i.content}" for i in story.items)
        leads = sum(each.items[0].source_id == story.items[0].source_id for each in chosen)
        assert leads <= MOST_PER_SOURCE
