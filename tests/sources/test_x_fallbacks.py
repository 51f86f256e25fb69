"""X's limits, and who is asked when someone fails: the API, then the bridges (S001-8)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
import pytest_asyncio

from clawfeed.domain.errors import Reason, SourceError
from clawfeed.domain.secret import Secret
from clawfeed.domain.source import NotModified
from clawfeed.simulator import Fault, Misbehaviour
from clawfeed.simulator.x import APP_TOKEN
from clawfeed.sources.parse import ParsePool
from clawfeed.sources.twitter import TwitterConfig
from tests.sources.stage import Stage, fetched, keys, look, source_of, staged
from tests.sources.x_stage import HANDLE, Purse, account, bridge, settings, twitter, two_origins

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def parse() -> AsyncIterator[ParsePool]:
    async with ParsePool() as pool:
        yield pool


@pytest_asyncio.fixture(loop_scope="module")
async def stage(tmp_path: Path) -> AsyncIterator[Stage]:
    async with staged(tmp_path) as found:
        yield found


# --- limits -------------------------------------------------------------------------------------


async def test_a_used_up_rate_limit_is_obeyed_without_asking(
    tmp_path: Path, parse: ParsePool
) -> None:
    """`x-rate-limit-remaining: 0`: nobody asks again before the reset, whatever the account."""
    async with staged(tmp_path, x_limit=1) as stage:
        fetcher = twitter(stage, parse)
        # The name's own window is used up by asking once; its answer is not asked for again.
        with pytest.raises(SourceError):
            await fetcher.fetch(account())
        stage.clock.advance(timedelta(minutes=15))
        first, _ = await look(fetcher, account())
        asked = len(stage.journal())

        with pytest.raises(SourceError) as caught:
            await fetcher.fetch(source_of("twitter_feed", handle="orbit_daily"))

        assert asked == 2
        assert list(stage.egress.cooldowns().values()) == [stage.clock() + timedelta(minutes=15)]
        assert first.hints.wait == timedelta(minutes=15)
        assert (caught.value.reason, caught.value.wait) == (Reason.BUSY, timedelta(minutes=15))
        assert len(stage.journal()) == asked

        stage.clock.advance(timedelta(minutes=15))
        with pytest.raises(SourceError):
            await fetcher.fetch(source_of("twitter_feed", handle="orbit_daily"))
        stage.clock.advance(timedelta(minutes=15))
        fetched(await fetcher.fetch(source_of("twitter_feed", handle="orbit_daily")))


async def test_429_waits_for_the_reset_it_names(tmp_path: Path, parse: ParsePool) -> None:
    async with staged(tmp_path, x_limit=0) as stage:
        with pytest.raises(SourceError) as caught:
            await twitter(stage, parse).fetch(account())

    assert (caught.value.reason, caught.value.status) == (Reason.BUSY, 429)
    assert caught.value.wait == timedelta(minutes=15)


@pytest.mark.parametrize("token", ["a-wrong-token", APP_TOKEN])
async def test_a_refused_token_or_a_used_up_budget_leads_to_the_bridge(
    tmp_path: Path, parse: ParsePool, token: str
) -> None:
    """The same posts have the same keys, whoever brought them."""
    async with two_origins(tmp_path) as (stage, bridge_url):
        config = replace(settings(stage, bridges=(bridge(bridge_url),)), bearer_token=Secret(token))
        purse = Purse(limit=0)
        fetcher = twitter(stage, parse, config=config, purse=purse)

        result, source = await look(fetcher, account())
        again = await fetcher.fetch(source)

        by_api = await twitter(stage, parse).fetch(account())
    assert keys(result) >= keys(by_api)
    assert len(fetched(result).warnings) == 1
    assert token not in repr(result)
    assert isinstance(again, NotModified)


async def test_an_instances_links_become_xs_own(stage: Stage, parse: ParsePool) -> None:
    body = (
        "<rss><channel><item><title>Hello</title>"
        "<link>https://nitter.example/Ann/status/123#m</link></item></channel></rss>"
    )
    stage.answer_with(f"/bridge/twitter/user/{HANDLE}", body, "application/rss+xml")
    only_bridge = TwitterConfig(bridges=(bridge(stage.url),))

    [draft] = fetched(await twitter(stage, parse, config=only_bridge).fetch(account())).drafts

    assert draft.url == "https://x.com/Ann/status/123"
    assert (draft.author, draft.metadata["tweet_id"]) == ("@Ann", "123")


async def test_when_all_fail_the_most_telling_error_is_raised(
    tmp_path: Path, parse: ParsePool
) -> None:
    """(T17): and no token stands in it."""
    async with two_origins(tmp_path) as (stage, bridge_url):
        dead = f"{bridge_url}/dead/{{handle}}?key=access-key"
        config = replace(
            settings(stage, bridges=(dead, bridge(stage.url) + "x")),
            bearer_token=Secret("wrong-token"),
        )

        with pytest.raises(SourceError) as caught:
            await twitter(stage, parse, config=config).fetch(account())

    assert (caught.value.reason, caught.value.status) == (Reason.AUTH_REQUIRED, 401)
    assert "X API: the server answered 401" in caught.value.detail
    assert "bridge 1: the server answered 404" in caught.value.detail
    for secret in ("wrong-token", "access-key"):
        assert secret not in caught.value.detail
        assert secret not in repr(config)


async def test_a_token_does_not_follow_a_redirect_to_another_host(
    tmp_path: Path, parse: ParsePool
) -> None:
    """(T5)."""
    async with two_origins(tmp_path) as (stage, other_url):
        elsewhere = Misbehaviour(
            fault=Fault.STATUS, status=302, location=f"{other_url}/x/2/users/me"
        )
        stage.world.misbehave("/x/2/*", elsewhere)

        with pytest.raises(SourceError) as caught:
            await twitter(stage, parse).fetch(account())

    assert caught.value.reason is Reason.AUTH_REQUIRED  # it came without the token
