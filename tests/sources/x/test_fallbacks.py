"""X's limits, and who is asked when someone fails: the API, then the bridges (S001-8)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
import pytest_asyncio

from clawfeed.domain.errors import Reason, SourceError
from clawfeed.domain.polling.failures import outcome_of
from clawfeed.domain.schedule.backoff import back_off
from clawfeed.domain.secret import Secret
from clawfeed.domain.sources.source import Failed, NotModified, Postponed, Source
from clawfeed.simulator import Fault, Misbehaviour, busy, status
from clawfeed.simulator.services.x import APP_TOKEN
from clawfeed.sources.parsing.pool import ParsePool
from clawfeed.sources.x.fetcher import Twitter, TwitterConfig
from tests.sources.simulated_world import (
    DAY,
    HOUR,
    Stage,
    fetched,
    keys,
    poll,
    rss,
    source_of,
    staged,
)
from tests.sources.x.simulated_x import (
    HANDLE,
    Purse,
    account,
    bridge,
    settings,
    twitter,
    two_origins,
)
from tests.support.parse_settings import BUILT_IN_DOCUMENTS

pytestmark = pytest.mark.asyncio(loop_scope="module")

MINUTE = timedelta(minutes=1)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def parse() -> AsyncIterator[ParsePool]:
    async with ParsePool(BUILT_IN_DOCUMENTS) as pool:
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
        first, _ = await poll(fetcher, account())
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

        result, source = await poll(fetcher, account())
        again = await fetcher.fetch(source)

        by_api = await twitter(stage, parse).fetch(account())
    assert keys(result) >= keys(by_api)
    assert len(fetched(result).warnings) == 1
    assert token not in repr(result)
    assert isinstance(again, NotModified)


@pytest.mark.parametrize(
    ("link", "url", "author"),
    [
        ("https://nitter.example/Ann/status/123#m", "https://x.com/Ann/status/123", "@Ann"),
        ("https://twitter.com/Ann/statuses/123?s=20", "https://x.com/Ann/status/123", "@Ann"),
        ("https://x.com/i/web/status/123", "https://x.com/i/status/123", "Ann of X"),
        ("https://x.com/i/status/123", "https://x.com/i/status/123", "Ann of X"),
    ],
)
async def test_an_instances_links_become_xs_own(
    stage: Stage, parse: ParsePool, link: str, url: str, author: str
) -> None:
    serve_feed(stage, f"<title>Hello</title><link>{link}</link><author>Ann of X</author>")
    only_bridge = TwitterConfig(bridges=(bridge(stage.url),))

    [draft] = fetched(await twitter(stage, parse, config=only_bridge).fetch(account())).drafts

    assert draft.url == url
    assert (draft.author, draft.metadata["tweet_id"]) == (author, "123")


def serve_feed(stage: Stage, *items: str) -> None:
    """Let the bridge at *stage* show these for the account."""
    stage.answer_with(f"/bridge/twitter/user/{HANDLE}", rss(*items), "application/rss+xml")


WHITELIST = (
    "<title>RSS reader not yet whitelisted!</title>"
    "<link>https://rss.xcancel.com/chip_gossip/rss</link>"
    "<guid>https://rss.xcancel.com/chip_gossip/rss</guid>"
    "<description>Please send an email with the ID xyz</description>"
)
BRIDGE_ERROR = (
    "<title>Bridge returned error 403! (20407)</title>"
    "<link>https://bridge.example/?action=display&amp;bridge=TwitterBridge&amp;u=chip_gossip</link>"
    '<guid isPermaLink="false">b1c2</guid><description>403 Forbidden</description>'
)


@pytest.mark.parametrize("trouble", [WHITELIST, BRIDGE_ERROR], ids=["xcancel", "RSS-Bridge"])
async def test_a_feed_that_tells_of_trouble_leads_to_the_next_bridge(
    tmp_path: Path, parse: ParsePool, trouble: str
) -> None:
    """Bridges tell of errors in a feed that is none of the account's."""
    async with two_origins(tmp_path) as (stage, bridge_url):
        serve_feed(stage, trouble)
        config = TwitterConfig(bridges=(bridge(stage.url), bridge(bridge_url)))
        fetcher = twitter(stage, parse, config=config)

        first, source = await poll(fetcher, account())
        again = await fetcher.fetch(source)

    assert len(keys(first)) > 20
    assert all(draft.metadata["tweet_id"] for draft in fetched(first).drafts)
    assert fetched(first).warnings == ("bridge 1: the bridge sent a feed without posts",)
    assert isinstance(again, NotModified)


async def test_trouble_alone_is_an_error_and_not_an_item(stage: Stage, parse: ParsePool) -> None:
    serve_feed(stage, WHITELIST)
    only_bridge = TwitterConfig(bridges=(bridge(stage.url),))

    with pytest.raises(SourceError) as caught:
        await twitter(stage, parse, config=only_bridge).fetch(account())

    assert caught.value.reason is Reason.UNREADABLE


async def test_what_is_no_post_is_left_out_and_told(stage: Stage, parse: ParsePool) -> None:
    serve_feed(stage, "<title>Hi</title><link>https://x.com/Ann/status/1</link>", WHITELIST)
    only_bridge = TwitterConfig(bridges=(bridge(stage.url),))

    result = fetched(await twitter(stage, parse, config=only_bridge).fetch(account()))

    assert [draft.title for draft in result.drafts] == ["Hi"]
    assert result.warnings == ("1 of 2 entries are no posts",)


async def test_a_bridge_in_trouble_is_told_by_all_it_shows(stage: Stage, parse: ParsePool) -> None:
    """What is no post was never stored: it does not become a quiet account by being known."""
    serve_feed(stage, "<title>Hi</title><link>https://x.com/Ann/status/1</link>", WHITELIST)
    reader = twitter(stage, parse, config=TwitterConfig(bridges=(bridge(stage.url),)))
    _, source = await poll(reader, account())
    serve_feed(stage, WHITELIST)

    with pytest.raises(SourceError) as caught:
        await reader.fetch(source)

    assert caught.value.reason is Reason.UNREADABLE


async def test_an_account_without_posts_is_no_trouble(stage: Stage, parse: ParsePool) -> None:
    serve_feed(stage)
    only_bridge = TwitterConfig(bridges=(bridge(stage.url),))

    result = fetched(await twitter(stage, parse, config=only_bridge).fetch(account()))

    assert (result.drafts, result.warnings) == ((), ())


async def test_three_bridges_are_tried_and_no_more(tmp_path: Path, parse: ParsePool) -> None:
    """Whoever lists a dozen instances does not wait for a dozen time-outs."""
    async with two_origins(tmp_path) as (stage, bridge_url):
        dead = [f"{stage.url}/dead/{n}/{{handle}}" for n in range(3)]
        well = bridge(bridge_url)
        third = TwitterConfig(bridges=(*dead[:2], well))
        fourth = TwitterConfig(bridges=(*dead, well))

        result = await twitter(stage, parse, config=third).fetch(account())
        with pytest.raises(SourceError):
            await twitter(stage, parse, config=fourth).fetch(account())

        asked = [entry.path.split("/")[2] for entry in stage.journal()]
    assert len(keys(result)) > 20
    assert asked == ["0", "1", "0", "1", "2"]


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


@pytest.mark.parametrize(
    ("token", "fault", "expected"),
    [
        # The budget is spent until next month; the bridge may be well in a quarter of an hour.
        (APP_TOKEN, status(500), (Reason.BROKEN, 500, None)),
        (APP_TOKEN, busy(60), (Reason.BUSY, 429, MINUTE)),
        # Its word that there is no such account, or none any more, may not stop us (S000-11).
        (APP_TOKEN, status(410), (Reason.BROKEN, None, None)),
        # What nobody comes back for soon, and what a person must mend.
        (APP_TOKEN, status(403), (Reason.REFUSED, 403, None)),
        ("wrong", status(500), (Reason.AUTH_REQUIRED, 401, None)),
        ("wrong", status(403), (Reason.AUTH_REQUIRED, 401, None)),
    ],
)
async def test_of_all_failures_the_one_that_passes_soonest_decides(
    stage: Stage,
    parse: ParsePool,
    token: str,
    fault: Misbehaviour,
    expected: tuple[Reason, int | None, timedelta | None],
) -> None:
    """Reason, status and wait are one failure's: together they mean what they meant alone."""
    stage.world.misbehave("/bridge/*", fault)
    config = replace(settings(stage, bridges=(bridge(stage.url),)), bearer_token=Secret(token))

    with pytest.raises(SourceError) as caught:
        await twitter(stage, parse, config=config, purse=Purse(limit=0)).fetch(account())

    assert (caught.value.reason, caught.value.status, caught.value.wait) == expected


@pytest.mark.parametrize("of_x", [None, status(403)], ids=["spent", "refused"])
async def test_a_broken_bridge_is_tried_again_soon_whatever_x_said(
    stage: Stage, parse: ParsePool, of_x: Misbehaviour | None
) -> None:
    """(S004-7): in a quarter of an hour; "Forbidden" is X's word and not the bridge's."""
    stage.world.misbehave("/bridge/*", status(500))
    if of_x:
        stage.world.misbehave("/x/2/*", of_x)
    config = settings(stage, bridges=(bridge(stage.url),))

    with pytest.raises(SourceError) as caught:
        await twitter(stage, parse, config=config, purse=Purse(limit=0)).fetch(account())

    outcome = outcome_of(caught.value)
    assert isinstance(outcome, Failed)
    assert back_off(outcome, failures=1, base=HOUR).wait == 15 * MINUTE


async def test_that_an_account_is_gone_x_knows_best(stage: Stage, parse: ParsePool) -> None:
    stage.world.misbehave("/bridge/*", status(500))
    config = settings(stage, bridges=(bridge(stage.url),))

    with pytest.raises(SourceError) as caught:
        await twitter(stage, parse, config=config).fetch(
            source_of("twitter_feed", handle="nobody_here")
        )

    assert (caught.value.reason, caught.value.status) == (Reason.GONE, 404)


async def test_while_all_rest_the_poll_is_put_off_until_the_first_is_free(
    tmp_path: Path, parse: ParsePool
) -> None:
    """Nobody is asked, so it is no failure (S000-10)."""
    async with two_origins(tmp_path) as (stage, bridge_url):
        x, rests = bridge_url.removeprefix("http://"), stage.url.removeprefix("http://")
        stage.egress.impose(x, stage.clock() + 15 * MINUTE)
        stage.egress.impose(rests, stage.clock() + 2 * MINUTE)
        config = replace(
            settings(stage, bridges=(bridge(stage.url),)), api_base_url=f"{bridge_url}/x"
        )

        with pytest.raises(SourceError) as caught:
            await twitter(stage, parse, config=config).fetch(account())

    assert isinstance(outcome_of(caught.value), Postponed)
    assert caught.value.wait == 2 * MINUTE


# --- silence ------------------------------------------------------------------------------------

OTHERS = ("ingridsolheim", "orbit_daily", "linyuqing")
SILENCE = Misbehaviour(fault=Fault.RESET)


async def test_one_accounts_dropped_connection_is_its_own(stage: Stage, parse: ParsePool) -> None:
    """(S000-10): the others are asked, and read."""
    fetcher = twitter(stage, parse)
    _, broken = await poll(fetcher, account())
    _, well = await poll(fetcher, source_of("twitter_feed", handle=OTHERS[0]))
    stage.world.misbehave(f"/x/2/users/{broken.cursor['user_id']}/*", SILENCE)
    stage.clock.advance(DAY)

    with pytest.raises(SourceError) as caught:
        await fetcher.fetch(broken)
    result = await fetcher.fetch(well)

    assert caught.value.reason is Reason.UNREACHABLE
    assert fetched(result).drafts


async def test_after_three_that_do_not_answer_x_is_left_alone(
    stage: Stage, parse: ParsePool
) -> None:
    """Whoever comes meanwhile is put off, without a failure and without losing reads (S000-10)."""
    purse = Purse()
    fetcher = twitter(stage, parse, purse=purse)
    handles = (HANDLE, *OTHERS)
    sources = [
        (await poll(fetcher, source_of("twitter_feed", handle=handle)))[1] for handle in handles
    ]
    spent = purse.used
    stage.world.misbehave("/x/2/users/1*", SILENCE)

    errors = [await failure_of(fetcher, source) for source in (*sources, *sources)]
    lost = purse.used - spent
    stage.clock.advance(5 * MINUTE)
    later = [await failure_of(fetcher, source) for source in sources]

    assert [error.reason for error in errors] == [Reason.UNREACHABLE] * 3 + [Reason.BUSY] * 5
    assert all(isinstance(outcome_of(error), Postponed) for error in errors[3:])
    assert {error.wait for error in errors[3:]} == {5 * MINUTE}
    assert lost == 3 * 20
    # While it stays down, one question per pause is enough to know.
    assert [error.reason for error in later] == [Reason.UNREACHABLE] + [Reason.BUSY] * 3
    assert purse.used == spent + 4 * 20


async def test_an_answer_in_between_shows_that_x_is_there(stage: Stage, parse: ParsePool) -> None:
    fetcher = twitter(stage, parse)
    sources = [
        (await poll(fetcher, source_of("twitter_feed", handle=handle)))[1]
        for handle in (HANDLE, *OTHERS)
    ]
    well = sources.pop()
    for source in sources:
        stage.world.misbehave(f"/x/2/users/{source.cursor['user_id']}/*", SILENCE)

    reasons = []
    for source in sources:
        reasons.append((await failure_of(fetcher, source)).reason)
        assert isinstance(await fetcher.fetch(well), NotModified)

    assert reasons == [Reason.UNREACHABLE] * 3


async def failure_of(fetcher: Twitter, source: Source) -> SourceError:
    with pytest.raises(SourceError) as caught:
        await fetcher.fetch(source)
    return caught.value


# --- secrets ------------------------------------------------------------------------------------


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
