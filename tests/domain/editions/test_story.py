"""Whether a story is news to readers who may have heard of it."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clawfeed.domain.editions.story import (
    AlreadyTold,
    ChangedStory,
    ItemText,
    NewStory,
    Telling,
    compare_with_told,
)
from clawfeed.domain.editions.story_facts import (
    StoryFacts,
    ToldFacts,
    fingerprint_of,
    read_fingerprint,
)
from clawfeed.domain.ids import DigestId, StoryId
from tests.support.clocks import NOON


def facts(*numbers: str, names: str = "") -> StoryFacts:
    return StoryFacts(numbers=frozenset(numbers), names=frozenset(filter(None, names.split(","))))


TELLING = Telling(
    story_id=StoryId(1),
    digest_id=DigestId(2),
    headline="h",
    fingerprint=fingerprint_of(
        ToldFacts(
            facts=facts("9", "1234", "26.8%", names="oslo,solheim"),
            publishers=frozenset({"a.example"}),
            newest_at=NOON,
        )
    ),
    told_at=NOON,
)
NOTHING = StoryFacts()


def report(
    headline: StoryFacts, lead: StoryFacts = NOTHING, *, by: str = "b", hours: float = 1
) -> ItemText:
    return ItemText(publisher=by, at=NOON + timedelta(hours=hours), headline=headline, lead=lead)


def test_what_was_never_told_is_news() -> None:
    assert compare_with_told([report(facts("9"))], None) == NewStory()


@pytest.mark.parametrize(
    "said",
    [
        facts(),
        facts("9", names="oslo"),
        facts("1200", "27%"),
        facts(names="ingrid solheim"),
    ],
    ids=["other words", "the same", "rounded", "the same name in full"],
)
def test_other_words_and_rounded_numbers_are_no_news(said: StoryFacts) -> None:
    """(S001-19): a story already told is left out."""
    assert compare_with_told([report(said)], TELLING) == AlreadyTold(last=TELLING)


def test_one_more_who_tells_it_is_no_news_however_much_they_write() -> None:
    chatty = report(facts("9"), facts("55", names="nadia haddad"), by="one.example")

    assert compare_with_told([chatty], TELLING) == AlreadyTold(last=TELLING)


@pytest.mark.parametrize(
    "said", [facts("12"), facts("31%"), facts(names="nadia haddad"), facts("10")]
)
def test_a_new_number_or_name_in_a_headline_is_news(said: StoryFacts) -> None:
    assert compare_with_told([report(said)], TELLING) == ChangedStory(last=TELLING, new=said)


def test_what_independent_publishers_add_in_their_leads_is_news() -> None:
    added = facts("55")
    reports = [report(NOTHING, added, by="one.example"), report(NOTHING, added, by="two.example")]

    assert compare_with_told(reports, TELLING) == ChangedStory(last=TELLING, new=added)


def test_what_was_published_before_the_last_telling_comes_too_late() -> None:
    late = report(facts("12"), hours=-1)

    assert compare_with_told([late], TELLING) == AlreadyTold(last=TELLING)


def test_a_telling_nobody_can_read_was_told_all_the_same() -> None:
    old = Telling(
        story_id=StoryId(1), digest_id=DigestId(2), headline="h", fingerprint="a", told_at=NOON
    )

    assert compare_with_told([report(facts("12"))], old) == AlreadyTold(last=old)


words = st.frozensets(st.text(min_size=1, max_size=8), max_size=6)


@given(words, words)
def test_a_fingerprint_says_what_was_told_and_nothing_of_it_is_new(
    numbers: frozenset[str], names: frozenset[str]
) -> None:
    said = StoryFacts(
        numbers=numbers, names=frozenset(n for n in names if n.strip() == n and n.split())
    )
    told = ToldFacts(facts=said, publishers=names, newest_at=NOON)

    assert read_fingerprint(fingerprint_of(told)) == told
    single = StoryFacts(numbers=numbers, names=frozenset(w for n in said.names for w in n.split()))
    assert not single.beyond(single)
