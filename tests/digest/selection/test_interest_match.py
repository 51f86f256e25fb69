"""What readers ask for is found by words, and what they muted is never missed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clawfeed.digest.selection.interest_match import InterestMatch, InterestMatcher, StoryWording
from clawfeed.domain.editions.interests import (
    HEAVIEST_INTEREST,
    Interest,
    InterestKind,
    ReaderInterests,
    Vote,
)


def match(
    title: str, *interests: Interest, lead: str = "", text: str = "", votes: tuple[Vote, ...] = ()
) -> InterestMatch:
    reader = ReaderInterests(interests=interests, votes=votes)
    return InterestMatcher(reader).match([StoryWording(title=title, lead=lead, text=text)])


def word(text: str, weight: float = 1.0) -> Interest:
    return Interest(kind=InterestKind.WORD, text=text, weight=weight)


def topic(text: str, weight: float = 1.0) -> Interest:
    return Interest(kind=InterestKind.TOPIC, text=text, weight=weight)


def muted(text: str) -> Interest:
    return Interest(kind=InterestKind.MUTED, text=text)


@pytest.mark.parametrize(
    ("wanted", "title"),
    [
        ("chip", "New chips for old laptops"),
        ("New York", "A tunnel under new york's harbour"),
        ("café", "CAFES reopen"),
        ("人工智能", "欧盟通过人工智能法案"),
        ("AI芯片", "国产 AI 芯片量产"),
    ],
)
def test_words_are_found_by_their_stems_and_chinese_by_characters(wanted: str, title: str) -> None:
    assert match(title, word(wanted)).names == (wanted,)


@pytest.mark.parametrize(
    ("wanted", "title"),
    [("chip", "Chipmunk census"), ("New York", "York has a new mayor"), ("!!", "What now!!")],
)
def test_parts_of_words_and_scattered_words_are_not_found(wanted: str, title: str) -> None:
    assert match(title, word(wanted)) == InterestMatch()


def test_a_topic_has_a_name_and_words_to_find() -> None:
    energy = topic("Energy: solar, wind", 2.0)

    assert match("Wind carries the grid", energy) == InterestMatch(score=2.0, names=("Energy",))
    assert match("The grid stands still", energy, lead="No wind.").score == 1.0
    assert match("Energy of youth", energy) == InterestMatch()


def test_weights_add_up_to_no_more_than_the_heaviest_and_less_is_less() -> None:
    both = match("Solar and wind", word("solar", 3.0), word("wind", 2.0))

    assert both == InterestMatch(score=HEAVIEST_INTEREST, names=("solar", "wind"))
    assert match("Wind power", word("wind", -2.0)) == InterestMatch(score=-2.0)


def test_votes_move_what_is_like_their_headline_a_little() -> None:
    headline = "Tunnel under the harbour opens"
    up, down = (Vote(headline=headline, vote=1),), (Vote(headline=headline, vote=-1),)

    liked, hated = match("Harbour tunnel floods", votes=up), match("Harbour tunnel", votes=down)
    other = match("Bees know faces", votes=up)

    assert 0.2 < liked.score < 1
    assert -1 < hated.score < -0.2
    assert other.score == 0
    assert match(headline, votes=up * 50).score <= 1


def test_a_muted_word_is_found_wherever_it_may_be_put_into_words() -> None:
    assert match("Quiet day", muted("football"), text="Then came Football.").is_muted
    assert match("英超联赛今晚开赛", muted("英超")).is_muted
    assert not match("Footpath repaired", muted("football")).is_muted


@given(
    st.text(max_size=30), st.sampled_from(["football", "New York", "足球"]), st.text(max_size=30)
)
def test_a_muted_word_between_spaces_is_always_found(before: str, wanted: str, after: str) -> None:
    assert match("t", muted(wanted), text=f"{before} , {wanted} , {after}").is_muted


def test_two_interests_in_the_same_word_are_both_met() -> None:
    found = match("New chips for old laptops", word("chip"), topic("Hardware: chips, disks"))

    assert (found.score, found.names) == (2.0, ("chip", "Hardware"))
