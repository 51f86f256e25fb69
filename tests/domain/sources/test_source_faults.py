"""(S001-17): data faults are found, and honest sources are left in peace."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clawfeed.domain.ids import JsonValue, SourceId, UserId
from clawfeed.domain.sources.source import Source
from clawfeed.domain.sources.source_faults import (
    FaultKind,
    Lookalikes,
    SourceFault,
    faults_among,
    likeness,
    own_faults,
)
from clawfeed.sources.source_types.built_in import BUILT_IN

HANDLES: list[JsonValue] = [f"account{number}" for number in range(600)]


def likeness_of(kind: str, config: Mapping[str, JsonValue]) -> str:
    return likeness(BUILT_IN.facts(kind), config)


def source(
    number: int,
    kind: str,
    config: Mapping[str, JsonValue],
    name: str = "",
    private_to: UserId | None = None,
) -> Source:
    return Source(
        id=SourceId(number),
        type=kind,
        name=name or f"name {number}",
        config=config,
        is_public=private_to is None,
        created_by=private_to,
    )


def feed(number: int, url: str, private_to: UserId | None = None) -> Source:
    return source(number, "rss", {"url": url}, private_to=private_to)


@pytest.mark.parametrize(
    "spelling",
    [
        "http://example.org/feed",
        "https://example.org/feed/",
        "https://www.example.org/feed",
        "HTTPS://EXAMPLE.org/feed",
        "https://example.org:443/feed#top",
        " https://example.org/feed ",
    ],
)
def test_an_address_in_another_spelling_looks_like_the_first(spelling: str) -> None:
    first, second = feed(3, "https://example.org/feed"), feed(4, spelling)

    [(found, fault)] = faults_among(BUILT_IN, [first, second])

    assert (found, fault.kind, fault.twin) == (second, FaultKind.LOOKALIKE, first.id)
    assert "looks like source 3 (name 3)" in fault.text


@pytest.mark.parametrize(
    "other",
    [
        "https://example.org/other",
        "https://example.org/Feed",
        "https://example.org/feed?page=2",
        "https://blog.example.org/feed",
        "https://example.org:8443/feed",
        "https://[broken/feed",
    ],
)
def test_another_address_is_another_source(other: str) -> None:
    assert faults_among(BUILT_IN, [feed(1, "https://example.org/feed"), feed(2, other)]) == []


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (("twitter_feed", {"handle": "@Ana"}), ("twitter_account", {"handle": "ana"})),
        (("reddit", {"subreddit": "Python"}), ("reddit", {"subreddit": "python"})),
        (("reddit", {"subreddit": "r/python"}), ("reddit", {"subreddit": "python"})),
        (("reddit", {"subreddit": "/r/python/"}), ("reddit", {"subreddit": "python"})),
        (
            ("reddit", {"subreddit": "python", "sort": "hot", "limit": 25}),
            ("reddit", {"subreddit": "python"}),
        ),
        (
            ("github_trending", {"language": "python", "since": "daily"}),
            ("github_trending", {"language": "Python"}),
        ),
        (("hackernews", {"filter": "top", "min_score": 0}), ("hackernews", {})),
        (
            ("rss", {"url": "https://a.example/"}),
            ("rss", {"url": "https://a.example/", "fetch_interval_minutes": 5}),
        ),
        (
            ("custom_api", {"endpoint": "https://a.example/x", "headers": {"X-Key": "1"}}),
            ("custom_api", {"endpoint": "https://a.example/x"}),
        ),
    ],
)
def test_case_marks_defaults_headers_and_interval_do_not_make_another_source(
    first: tuple[str, dict[str, JsonValue]], second: tuple[str, dict[str, JsonValue]]
) -> None:
    assert likeness_of(*first) == likeness_of(*second)


@pytest.mark.parametrize(
    ("kind", "first", "second"),
    [
        ("reddit", {"subreddit": "python"}, {"subreddit": "python", "sort": "new"}),
        ("hackernews", {}, {"filter": "new"}),
        ("hackernews", {}, {"min_score": 100}),
        ("github_trending", {}, {"language": "python"}),
    ],
)
def test_what_differs_from_the_default_is_another_source(
    kind: str, first: dict[str, JsonValue], second: dict[str, JsonValue]
) -> None:
    assert likeness_of(kind, first) != likeness_of(kind, second)


def test_the_same_type_and_config_is_a_duplicate_whatever_its_name_and_order_of_keys() -> None:
    one = source(1, "hackernews", {"filter": "top", "min_score": 0}, name="HN")
    two = source(2, "hackernews", {"min_score": 0, "filter": "top"}, name="News")

    [(found, fault)] = faults_among(BUILT_IN, [one, two])

    text = "is the same thing as source 1 (HN)"
    assert (found, fault) == (two, SourceFault(kind=FaultKind.DUPLICATE, text=text, twin=one.id))


def test_nobody_learns_what_somebody_else_follows_in_private() -> None:
    others = Lookalikes(BUILT_IN, [feed(1, "https://a.example/", private_to=UserId(7))])
    public = feed(2, "https://a.example/")
    of_another = feed(3, "https://a.example/", private_to=UserId(8))
    own_again = feed(4, "https://a.example/", private_to=UserId(7))

    found = [others.same_as(each) is not None for each in (public, of_another, own_again)]

    assert found == [False, False, True]


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ({"handles": HANDLES}, ["600 values"]),
        ({"handle": ",".join(map(str, HANDLES))}, ["600 values"]),
        ({"fields": {str(n): {"path": [n]} for n in range(101)}}, ["101 values"]),
        ({"items_path": "x" * 10_500}, ["11 KB"]),
        ({"handle": " ".join(map(str, HANDLES * 2))}, ["1200 values", "13 KB"]),
        ({"url": "https://example.org/?q=" + "a+b," * 500}, []),
        ({"fields": {str(n): "a.b" for n in range(30)}, "limit": 25, "x": None}, []),
    ],
)
def test_absurd_configs_are_told_by_number_and_size(
    config: dict[str, JsonValue], words: list[str]
) -> None:
    faults = own_faults(source(1, "custom_api", config), BUILT_IN.facts("custom_api"))

    assert [fault.kind for fault in faults] == [FaultKind.ABSURD] * len(words)
    for fault, word in zip(faults, words, strict=True):
        assert word in fault.text


@pytest.mark.parametrize(
    ("kind", "config", "name", "is_wrong"),
    [
        ("twitter_feed", {"handle": "b"}, "@a", True),
        ("twitter_account", {"handle": "@b"}, "Ana (@ana)", True),
        ("twitter_feed", {"handle": "@Ana"}, "@ana", False),
        ("twitter_feed", {"handle": "ana"}, "Ana, friend of @bob and @ana", False),
        ("twitter_feed", {"handle": "ana"}, "Ana", False),
        ("twitter_feed", {"handle": "ana"}, "news@example.org", False),
        ("twitter_feed", {"handle": 7}, "@ana", False),
        ("reddit", {"subreddit": "python"}, "r/rust", True),
        ("reddit", {"subreddit": "python"}, "r/Python: hot", False),
        ("rss", {"url": "https://a.example/"}, "@ana", False),
    ],
)
def test_a_name_that_is_not_the_handle(
    kind: str, config: dict[str, JsonValue], name: str, *, is_wrong: bool
) -> None:
    faults = own_faults(source(1, kind, config, name=name), BUILT_IN.facts(kind))

    assert [fault.kind for fault in faults] == ([FaultKind.MISNAMED] if is_wrong else [])


@given(st.dictionaries(st.text(), st.text() | st.integers() | st.none()), st.text(), st.text())
def test_no_config_is_too_odd_to_be_judged(
    config: dict[str, JsonValue], kind: str, name: str
) -> None:
    """And whatever is alone has no duplicate, while its twin has exactly one."""
    one, two = source(1, kind, config, name=name), source(2, kind, config, name=name)

    found = faults_among(BUILT_IN, [one, two])

    repeated = [each for each, fault in found if fault.twin is not None]
    assert repeated == [two]
