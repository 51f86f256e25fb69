"""What a text states: numbers by their value, names where capitals mean something."""

from __future__ import annotations

import pytest

from clawfeed.digest.stories.facts import facts_of, mentioned_in


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("Plant for $5.2bn", {"5200000000"}),
        ("plant for 5.2 billion dollars", {"5200000000"}),
        ("a 53B model", {"53000000000"}),
        ("1,234 people, 27 percent", {"1234", "27%"}),
        ("Nine killed", {"9"}),
        ("开源53亿参数，提升27%", {"5300000000", "27%"}),
        ("On Nov 18, 2026 at 10:30, two of three agreed", set()),
        ("11月18日发布", set()),
    ],
)
def test_numbers_are_read_as_values_and_dates_are_no_facts(text: str, numbers: set[str]) -> None:
    assert facts_of(text).numbers == numbers


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (
            "Ingrid Solheim of the Brennan Laboratory said all numbers should be checked again",
            {"ingrid solheim", "brennan laboratory"},
        ),
        ("Researchers say the bridge in Oslo holds", {"oslo"}),
        ("Apple Unveils New iPhone With Long Battery", set()),
        ("On Monday Reuters asked", set()),
        ("导演《流浪地球》的英格丽·索尔海姆说", {"流浪地球", "索尔"}),
    ],
)
def test_names_are_runs_of_capitals_where_others_are_small(text: str, names: set[str]) -> None:
    assert facts_of(text).names == names


def test_whatever_is_capitalised_may_be_taken_as_told() -> None:
    told = mentioned_in("Apple Unveils New iPhone. Ingrid Solheim agreed.")

    assert {"apple", "unveils", "solheim"} <= told.names
    assert not facts_of("Then Solheim spoke for Apple").beyond(told)
