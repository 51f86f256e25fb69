"""From what a person wrote to a source that can be stored."""

from __future__ import annotations

import json

import pytest

from clawfeed.domain.errors import AlreadyExistsError, InvalidInputError
from clawfeed.domain.ids import JsonValue, SourceId
from clawfeed.domain.sources.source import Source
from clawfeed.domain.sources.source_faults import Lookalikes
from clawfeed.egress.client import Egress, EgressConfig
from clawfeed.egress.request_and_response import Request
from clawfeed.simulator import busy, demo_world, serve
from clawfeed.sources.config import github_trending, hackernews, reddit
from clawfeed.sources.discovery.new_source import (
    SourceRequest,
    default_name,
    known_type,
    politeness_key,
    prepare,
    read_config,
    refuse_repeated,
)
from clawfeed.sources.registry import Fetchers
from clawfeed.sources.source_types.built_in import BUILT_IN
from tests.support.clocks import NOON, FakeClock
from tests.support.fakes import FakeFetcher


@pytest.fixture
def fetchers() -> Fetchers:
    table = Fetchers(BUILT_IN)
    table.add("rss", FakeFetcher())
    table.add("my_plugin", FakeFetcher())
    return table


async def test_the_host_is_the_very_name_under_which_egress_lets_it_rest() -> None:
    """(S001-10): or the cool-down of a host would hold back nobody."""
    clock = FakeClock(NOON)
    world = demo_world(seed=1, clock=clock)
    world.misbehave("/feeds/*", busy(300))
    async with serve(world) as origin:
        url = f"{origin.url}/feeds/harbour-times.xml"
        allow = origin.url.removeprefix("http://")
        async with Egress(EgressConfig(allow=allow), clock=clock, dice=lambda: 0.0) as egress:
            await egress.request(Request(url=url))

            resting = set(egress.cooldowns())

    assert resting == {politeness_key(url)}


@pytest.mark.parametrize(
    ("place", "key"),
    [
        ("https://blog.example.co.uk/feed", "example.co.uk"),
        ("https://someone.github.io/feed", "someone.github.io"),
        ("http://127.0.0.1:8080/x", "127.0.0.1:8080"),
        ("", ""),
        ("no address", ""),
    ],
)
def test_places_and_their_politeness_keys(place: str, key: str) -> None:
    assert politeness_key(place) == key


def test_what_is_prepared_is_checked_named_and_has_its_host(fetchers: Fetchers) -> None:
    wanted = SourceRequest(
        type="rss", config={"url": "https://www.a.example/f"}, name=" A <b>b</b>\n"
    )

    new = prepare(fetchers, wanted)

    assert (new.type, new.name, new.host, new.is_public) == ("rss", "A b", "a.example", True)
    with pytest.raises(InvalidInputError, match="url is missing"):
        prepare(fetchers, SourceRequest(type="rss"))


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("rss", "rss"),
        ("RSS", "rss"),
        ("my-plugin", "my_plugin"),
        ("twitter_account", "twitter_feed"),
        ("github-trending", "github_trending"),
    ],
)
def test_types_as_people_write_them(fetchers: Fetchers, written: str, meant: str) -> None:
    assert known_type(fetchers, written).name == meant


def test_an_unknown_type_is_refused_with_those_there_are(fetchers: Fetchers) -> None:
    with pytest.raises(InvalidInputError, match=r"'rs' is no source type.*my_plugin.*rss"):
        prepare(fetchers, SourceRequest(type="rs"))


@pytest.mark.parametrize(
    ("kind", "config", "name"),
    [
        ("rss", {"url": "https://www.a.example/feed?token=secret"}, "a.example"),
        ("twitter_feed", {"handle": "ana"}, "@ana"),
        ("reddit", {"subreddit": "python"}, "r/python"),
        ("reddit", {"subreddit": "/r/python/"}, "r/python"),
        ("hackernews", {"filter": "top"}, "hackernews top"),
        ("twitter_bookmarks", {}, "twitter_bookmarks"),
        ("rss", {"url": "https://[odd"}, "rss"),
        ("my_plugin", {"x": 1}, "my_plugin"),
        ("my_plugin", {"param": "Bergen"}, "my_plugin Bergen"),
    ],
)
def test_a_source_without_a_name_gets_one(
    kind: str, config: dict[str, JsonValue], name: str
) -> None:
    assert default_name(BUILT_IN.facts(kind), config) == name


def test_a_subreddit_is_stored_in_one_spelling() -> None:
    """(S001-17): two would be two sources to the database."""
    stored = [
        prepare(
            Fetchers(BUILT_IN), SourceRequest(type="reddit", config={"subreddit": name, "limit": 5})
        )
        for name in ("r/science", "/r/science/", "science")
    ]

    assert {new.identity for new in stored} == {stored[0].identity}
    assert stored[0].config == {"subreddit": "science", "limit": 5}
    assert {new.name for new in stored} == {"r/science"}


def test_a_private_source_without_an_owner_is_not_added_twice(fetchers: Fetchers) -> None:
    """The database cannot tell: to it, no owner differs from no owner."""
    config: dict[str, JsonValue] = {"url": "https://a.example/"}
    first = Source(id=SourceId(7), type="rss", name="A", config=config, is_public=False)
    again = prepare(fetchers, SourceRequest(type="rss", config=config, is_public=False))
    public = prepare(fetchers, SourceRequest(type="rss", config=config))

    with pytest.raises(AlreadyExistsError, match=r"rss source 7 .A. is the same"):
        refuse_repeated(again, Lookalikes(BUILT_IN, [first]))

    refuse_repeated(public, Lookalikes(BUILT_IN, [first]))


@pytest.mark.parametrize(
    ("kind", "config", "param_key"),
    [
        ("rss", {"url": "https://a.example/"}, None),
        ("my_plugin", {"url": "https://a.example/", "param": "Bergen"}, "Bergen"),
        ("my_plugin", {"url": "https://a.example/"}, ""),
    ],
)
def test_a_plug_ins_state_is_kept_under_its_parameter(
    fetchers: Fetchers, kind: str, config: dict[str, JsonValue], param_key: str | None
) -> None:
    """(S003-1): no parameter is an empty text, never null."""
    assert prepare(fetchers, SourceRequest(type=kind, config=config)).param_key == param_key


def test_the_defaults_are_the_first_of_what_may_be_chosen() -> None:
    """(S001-17): the fetchers go by the same tables."""
    assert BUILT_IN.facts("hackernews").defaults["filter"] == hackernews.FILTERS[0]
    assert BUILT_IN.facts("reddit").defaults["sort"] == reddit.SORTS[0]
    assert BUILT_IN.facts("github_trending").defaults["since"] == github_trending.SPANS[0]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("{'url': 1}", "must be valid JSON"),
        ("{", "must be valid JSON"),
        ('{"a": 1e400}', "may not hold 1e400: no number is that large"),
        ('{"a": NaN}', "may not hold NaN: that is no number"),
        ('{"a": -Infinity}', "may not hold -Infinity: that is no number"),
        ("[]", "a JSON object, in braces"),
        ('{"a": "\\ud83d"}', "half a character"),
        ('{"a": "\\u0000"}', "the character NUL"),
    ],
)
def test_a_config_that_cannot_be_stored_says_what_is_wrong_with_it(
    text: str, sentence: str
) -> None:
    with pytest.raises(InvalidInputError, match=sentence):
        read_config(text)


def test_the_example_of_a_config_is_one() -> None:
    with pytest.raises(InvalidInputError) as refused:
        read_config("{'url'")

    example = str(refused.value).partition("like ")[2]
    assert read_config(example) == json.loads(example)
