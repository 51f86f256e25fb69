"""Twitter/X: what is read, what it costs, and who is asked when someone fails (S001-8)."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
import pytest_asyncio

from clawfeed.app.settings.config_loading import load_config
from clawfeed.domain.errors import Reason, SourceError
from clawfeed.domain.ids import JsonValue
from clawfeed.domain.schedule.read_budget import ReadRation
from clawfeed.domain.secret import Secret
from clawfeed.domain.sources.source import NotModified
from clawfeed.domain.sources.type_facts import KnownTypes
from clawfeed.simulator import Fault, Misbehaviour, status
from clawfeed.simulator.services.x import APP_TOKEN, LIST_ID
from clawfeed.sources.parsing.pool import ParsePool
from clawfeed.sources.registry import Fetchers, build_fetchers
from clawfeed.sources.source_types import twitter as twitter_types
from clawfeed.sources.x.fetcher import Twitter, TwitterConfig, least_costs
from clawfeed.storage.database import Database
from clawfeed.storage.spending.api_reads import MonthlyReads, ReadStore
from tests.sources.simulated_world import DAY, HOUR, Stage, fetched, keys, poll, source_of, staged
from tests.sources.x.simulated_x import (
    BOTH,
    HANDLE,
    Purse,
    account,
    bridge,
    fetcher_kit,
    serve_posts,
    settings,
    twitter,
)
from tests.support.clocks import NOON
from tests.support.fetcher_contract import FetcherContract, Post, Subject, Tools
from tests.support.origin import door
from tests.support.parse_settings import BUILT_IN_DOCUMENTS

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def parse() -> AsyncIterator[ParsePool]:
    async with ParsePool(BUILT_IN_DOCUMENTS) as pool:
        yield pool


@pytest_asyncio.fixture(loop_scope="module")
async def stage(tmp_path: Path) -> AsyncIterator[Stage]:
    async with staged(tmp_path) as found:
        yield found


# --- the API ------------------------------------------------------------------------------------


async def test_an_account_gives_posts_with_their_signals(stage: Stage, parse: ParsePool) -> None:
    """(S001-3, S001-8)."""
    result = fetched(await twitter(stage, parse).fetch(account()))

    draft = result.drafts[0]
    origin = stage.world.feeds[HANDLE]
    assert [draft.url for draft in result.drafts] == list(stage.world.keys(origin))[:20]
    assert draft.author == f"@{HANDLE}"
    assert 0 < len(draft.title) <= 140
    assert draft.published_at is not None
    assert draft.metadata["tweet_id"] == str(draft.url).rpartition("/")[2]
    assert {"like_count", "retweet_count", "reply_count", "quote_count"} <= set(draft.metadata)
    assert (draft.metadata["lang"], draft.metadata["is_retweet"]) == ("en", False)


async def test_the_second_poll_reads_nothing_and_asks_for_the_name_no_more(
    stage: Stage, parse: ParsePool
) -> None:
    """`since_id` and the account's id are remembered: no read is spent on what is known."""
    purse = Purse()
    fetcher = twitter(stage, parse, purse=purse)
    _, source = await poll(fetcher, account())
    spent, asked = purse.used, len(stage.journal())

    second = await fetcher.fetch(source)

    assert isinstance(second, NotModified)
    assert purse.used == spent == 20
    assert len(stage.journal()) == asked + 1


async def test_only_new_posts_are_read_and_paid_for(stage: Stage, parse: ParsePool) -> None:
    purse = Purse()
    fetcher = twitter(stage, parse, purse=purse)
    first, source = await poll(fetcher, account())
    stage.clock.advance(3 * HOUR)

    second, source = await poll(fetcher, source)

    new = fetched(second).drafts
    assert 2 <= len(new) <= 4
    assert not keys(first) & keys(second)
    assert purse.used == 20 + len(new)
    assert source.cursor["since_id"] == new[0].metadata["tweet_id"]


async def test_the_newest_post_is_the_one_with_the_largest_number(
    stage: Stage, parse: ParsePool
) -> None:
    """As text, "9" would be newer than "10": `since_id` would stand still and all be paid again."""
    fetcher = twitter(stage, parse)
    serve_posts(stage, {"data": [{"id": "9", "text": "old"}], "meta": {}})
    _, source = await poll(fetcher, account())
    serve_posts(stage, {"data": [{"id": n, "text": "new"} for n in ("11", "10")], "meta": {}})

    _, source = await poll(fetcher, source)

    assert source.cursor["since_id"] == "11"


async def test_many_new_posts_are_read_page_by_page(stage: Stage, parse: ParsePool) -> None:
    """A week away: 40 posts are listed, the first page holds 20."""
    fetcher = twitter(stage, parse)
    _, source = await poll(fetcher, account())
    stage.clock.advance(7 * DAY)

    second = fetched(await fetcher.fetch(source))

    assert len(second.drafts) == 40
    assert second.warnings == ()


async def test_a_later_page_that_fails_loses_nothing(stage: Stage, parse: ParsePool) -> None:
    """What came is kept, `since_id` stays, and the next poll brings the rest."""
    purse = Purse(limit=20 + 30)
    fetcher = twitter(stage, parse, purse=purse)
    _, source = await poll(fetcher, account())
    stage.clock.advance(7 * DAY)

    second, source = await poll(fetcher, source)
    purse.limit = 1000
    third, source = await poll(fetcher, source)

    assert len(keys(second)) == 30
    assert len(fetched(second).warnings) == 1
    assert len(keys(third)) == 40


@pytest.mark.parametrize(
    ("source_type", "config"),
    [
        ("twitter_list", {"list_id": LIST_ID}),
        ("twitter_bookmarks", {}),
        ("twitter_favorites", {}),
        ("twitter_foryou", {}),
    ],
)
async def test_lists_and_what_belongs_to_the_reader(
    stage: Stage, parse: ParsePool, source_type: str, config: dict[str, JsonValue]
) -> None:
    """(S001-8). The second poll costs at most one small page."""
    purse = Purse()
    fetcher = twitter(stage, parse, source_type, purse=purse)

    first, source = await poll(fetcher, source_of(source_type, **config))
    spent = purse.used
    second, source = await poll(fetcher, source)

    assert len(keys(first)) == spent == 20
    assert all(str(draft.url).startswith("https://x.com/") for draft in fetched(first).drafts)
    assert purse.used <= spent + 5
    assert isinstance(second, NotModified) or keys(second) <= keys(first)


async def test_a_list_is_read_on_until_something_is_known(stage: Stage, parse: ParsePool) -> None:
    """X takes no `since_id` for lists: the pages grow until one holds a known post."""
    fetcher = twitter(stage, parse, "twitter_list")
    first, source = await poll(fetcher, source_of("twitter_list", list_id=LIST_ID))
    stage.clock.advance(8 * HOUR)

    second = await fetcher.fetch(source)

    new = keys(second) - keys(first)
    everything = {
        f"1:{story.url}"
        for name in ("ingridsolheim", HANDLE, "orbit_daily", "linyuqing")
        for story in stage.world.stories(stage.world.feeds[name])
        if story.published_at > NOON
    }
    assert new == everything
    assert len(new) > 5


async def test_a_search_brings_what_holds_its_words_and_then_only_what_is_new(
    stage: Stage, parse: ParsePool
) -> None:
    """(S001-21): in the read budget like everything else of X."""
    purse = Purse()
    fetcher = twitter(stage, parse, "twitter_search", purse=purse)

    first, source = await poll(fetcher, source_of("twitter_search", query="the of"))
    drafts = fetched(first).drafts
    stage.clock.advance(6 * HOUR)
    second, _ = await poll(fetcher, source)

    assert drafts
    assert all(word in draft.content.lower() for draft in drafts for word in ("the", "of"))
    assert keys(first).isdisjoint(keys(second))
    assert purse.used == len(drafts) + len(fetched(second).drafts)


async def test_a_search_that_found_nothing_for_weeks_goes_on(
    stage: Stage, parse: ParsePool
) -> None:
    """(S001-21): X refuses to read on from a post older than the seven days it searches."""
    fetcher = twitter(stage, parse, "twitter_search")
    _, source = await poll(fetcher, source_of("twitter_search", query="the of"))
    stage.clock.advance(9 * DAY)

    later, _ = await poll(fetcher, source)

    assert fetched(later).drafts


async def test_a_search_asks_for_ten_posts_even_while_reads_are_short(
    stage: Stage, parse: ParsePool
) -> None:
    """(S001-21): X refuses fewer; a ration of five must not become a question for none."""
    purse = Purse()
    fetcher = twitter(stage, parse, "twitter_search", purse=purse)
    _, source = await poll(fetcher, source_of("twitter_search", query="the of"))
    before, purse.short = purse.used, ReadRation(page=5, gap=DAY)
    stage.clock.advance(2 * DAY)

    later, _ = await poll(fetcher, source)

    assert 0 < purse.used - before <= 10
    assert fetched(later).drafts


async def test_a_search_by_a_bridge_is_quoted(stage: Stage, parse: ParsePool) -> None:
    """(S001-21): what is searched for may hold anything, a way out of its address included."""
    config = TwitterConfig(bridges=("https://b.example/search?f=1&q={query}",))

    place = twitter(stage, parse, "twitter_search", config=config).place({"query": "#a&b/../?c"})

    assert place == "https://b.example/search?f=1&q=%23a%26b%2F..%2F%3Fc"


async def test_the_readers_own_need_the_readers_token(stage: Stage, parse: ParsePool) -> None:
    """(S001-8): an app token opens no bookmarks."""
    wrong = replace(settings(stage), user_token=Secret(APP_TOKEN))
    fetcher = twitter(stage, parse, "twitter_bookmarks", config=wrong)

    with pytest.raises(SourceError) as caught:
        await fetcher.fetch(source_of("twitter_bookmarks"))

    assert (caught.value.reason, caught.value.status) == (Reason.REFUSED, 403)


async def test_an_unknown_account_is_gone(stage: Stage, parse: ParsePool) -> None:
    with pytest.raises(SourceError) as caught:
        await twitter(stage, parse).fetch(source_of("twitter_feed", handle="nobody_here"))

    assert caught.value.reason is Reason.GONE


async def test_text_becomes_safe_html_with_links_expanded(stage: Stage, parse: ParsePool) -> None:
    """(T9): X escapes three characters and shortens links."""
    post = {
        "id": "7",
        "author_id": "1",
        "text": "https://t.co/abc Cheaper &amp; faster &lt;b&gt;\nsecond https://t.co/bad line",
        "entities": {
            "urls": [
                {"url": "https://t.co/abc", "expanded_url": 'https://a.example/?q="1"'},
                {"url": "https://t.co/bad", "expanded_url": "javascript:alert(1)"},
            ]
        },
        "referenced_tweets": [{"type": "retweeted", "id": "6"}],
    }
    users = {"users": [{"id": "1", "username": "Ann"}]}
    serve_posts(stage, {"data": [post], "includes": users, "meta": {}})

    [draft] = fetched(await twitter(stage, parse).fetch(account())).drafts

    assert draft.title == "Cheaper & faster <b>"
    assert draft.url == "https://x.com/Ann/status/7"
    assert draft.metadata["is_retweet"] is True
    assert draft.content == (
        '<a href="https://a.example/?q=%221%22" rel="noopener noreferrer nofollow">'
        "a.example/?q=%221%22</a> Cheaper &amp; faster &lt;b&gt;<br>"
        "second https://t.co/bad line"
    )


# --- the budget ---------------------------------------------------------------------------------


async def test_a_used_up_budget_is_busy_until_tomorrow_or_next_month(
    stage: Stage, parse: ParsePool
) -> None:
    fetcher = twitter(stage, parse, purse=Purse(limit=4))

    with pytest.raises(SourceError, match="monthly X read budget used up") as caught:
        await fetcher.fetch(account())
    stage.clock.now = datetime(2026, 11, 30, 23, 0, tzinfo=UTC)
    with pytest.raises(SourceError) as later:
        await fetcher.fetch(account())

    assert (caught.value.reason, caught.value.wait) == (Reason.BUSY, DAY)
    assert later.value.wait == HOUR
    assert [entry.path for entry in stage.journal() if entry.path.endswith("/tweets")] == []


async def test_what_is_left_of_the_budget_sizes_the_question(
    stage: Stage, parse: ParsePool
) -> None:
    purse = Purse(limit=7)

    result = fetched(await twitter(stage, parse, purse=purse).fetch(account()))

    assert len(result.drafts) == 7
    assert purse.used == 7


async def test_too_few_reads_for_any_question_are_given_back(
    stage: Stage, parse: ParsePool
) -> None:
    """X gives no page of less than five posts."""
    purse = Purse(limit=4)

    with pytest.raises(SourceError):
        await twitter(stage, parse, purse=purse).fetch(account())

    assert (purse.used, purse.most) == (0, 4)


async def test_a_refusal_costs_nothing_but_silence_does(stage: Stage, parse: ParsePool) -> None:
    """Of an answer that never came nobody knows what was counted; then X is left alone a while."""
    purse = Purse()
    fetcher = twitter(stage, parse, purse=purse)
    _, source = await poll(fetcher, account())
    spent = purse.used
    stage.world.misbehave("/x/2/users/1*", status(500), times=1)
    with pytest.raises(SourceError):
        await fetcher.fetch(source)
    assert purse.used == spent

    stage.world.misbehave("/x/2/users/1*", Misbehaviour(fault=Fault.RESET))
    reasons = []
    for _ in range(5):
        with pytest.raises(SourceError) as caught:
            await fetcher.fetch(source)
        reasons.append(caught.value.reason)

    assert reasons == [Reason.UNREACHABLE, *[Reason.BUSY] * 4]
    assert purse.used == spent + 20


async def test_reads_that_never_left_for_x_are_given_back(stage: Stage, parse: ParsePool) -> None:
    """Nobody listens there: no connection, nothing sent, nothing counted, and no pause for it."""
    purse = Purse()
    _, source = await poll(twitter(stage, parse), account())
    with socket.create_server(("127.0.0.1", 0)) as gone:
        url = f"http://127.0.0.1:{gone.getsockname()[1]}"
    async with door(url, clock=stage.clock) as egress:
        elsewhere = replace(stage, egress=egress)
        config = replace(BOTH, api_base_url=url)
        fetcher = twitter(elsewhere, parse, config=config, purse=purse)
        reasons = []
        for _ in range(5):
            with pytest.raises(SourceError) as caught:
                await fetcher.fetch(source)
            reasons.append(caught.value.reason)

    assert reasons == [Reason.UNREACHABLE] * 5
    assert (purse.used, purse.most) == (0, 20)


@pytest.mark.asyncio(loop_scope="function")
async def test_many_collectors_never_exceed_the_budget(database: Database, tmp_path: Path) -> None:
    """Side by side on one database; X itself counts what it gave away (property of S001-8)."""
    limit = 90
    budget = MonthlyReads(store=ReadStore(database), api="x", limit=limit)
    handles = ("ingridsolheim", HANDLE, "orbit_daily", "linyuqing")
    async with staged(tmp_path) as stage, ParsePool(BUILT_IN_DOCUMENTS) as parse:
        fetchers = [
            Twitter(
                twitter_types.ACCOUNT.endpoint,
                egress=stage.egress,
                parse=parse,
                clock=stage.clock,
                settings=settings(stage),
                budget=budget,
            )
            for _ in range(3)
        ]

        await asyncio.gather(
            *(f.fetch(source_of("twitter_feed", handle=h)) for f in fetchers for h in handles),
            return_exceptions=True,
        )

        given = sum(len(entry.keys) for entry in stage.journal())
        counted = await budget.store.used("x", at=NOON)
    assert given <= counted <= limit
    assert given > limit - 20


async def test_of_a_flood_a_short_budget_reads_the_newest_and_says_so(
    stage: Stage, parse: ParsePool
) -> None:
    """40 posts are listed, 8 are allowed: 8 reads, and the rest is not paid for later either."""
    purse = Purse(short=ReadRation(page=8))
    fetcher = twitter(stage, parse, purse=purse)
    _, source = await poll(fetcher, account())
    stage.clock.advance(7 * DAY)

    second, source = await poll(fetcher, source)
    third, source = await poll(fetcher, source)

    origin = stage.world.feeds[HANDLE]
    assert [draft.url for draft in fetched(second).drafts] == list(stage.world.keys(origin))[:8]
    assert fetched(second).warnings == ("more was posted than the monthly X read budget allows",)
    assert purse.used == 20 + 8
    assert fetched(third).drafts == ()
    assert "is_behind" not in source.cursor


async def test_a_list_stays_within_a_short_budget(stage: Stage, parse: ParsePool) -> None:
    purse = Purse(short=ReadRation(page=12))
    fetcher = twitter(stage, parse, "twitter_list", purse=purse)
    _, source = await poll(fetcher, source_of("twitter_list", list_id=LIST_ID))
    stage.clock.advance(3 * DAY)

    second = await fetcher.fetch(source)

    assert len(keys(second)) == 12
    assert purse.used == 20 + 12


async def test_without_a_page_a_day_for_each_only_the_costly_take_turns(
    stage: Stage, parse: ParsePool
) -> None:
    """Whoever posts no more than its page costs what it posts, and is read when it is due."""
    purse = Purse(short=ReadRation(page=5, gap=3 * DAY))
    fetcher = twitter(stage, parse, purse=purse)
    _, modest = await poll(fetcher, account())
    stage.clock.advance(3 * HOUR)
    _, modest = await poll(fetcher, replace(modest, last_fetched_at=NOON))
    stage.clock.advance(7 * DAY)
    _, costly = await poll(fetcher, replace(modest, last_fetched_at=NOON + 3 * HOUR))
    costly = replace(costly, last_fetched_at=stage.clock())
    spent = purse.used

    waits = []
    for hours in (0, 60):
        stage.clock.advance(hours * HOUR)
        with pytest.raises(SourceError, match=r"short: read every 3\.0 days") as caught:
            await fetcher.fetch(costly)
        assert (caught.value.reason, caught.value.status) == (Reason.BUSY, None)
        waits.append(caught.value.wait)
    spent_between = purse.used
    stage.clock.advance(12 * HOUR)
    await fetcher.fetch(costly)

    assert waits == [DAY, 12 * HOUR]
    assert spent_between == spent
    assert purse.used == spent + 5


async def test_where_a_bridge_takes_over_nothing_is_spared(stage: Stage, parse: ParsePool) -> None:
    purse = Purse(short=ReadRation(page=8, gap=3 * DAY))
    config = settings(stage, bridges=(bridge(stage.url),))
    fetcher = twitter(stage, parse, config=config, purse=purse)
    _, source = await poll(fetcher, account())
    stage.clock.advance(7 * DAY)

    second = fetched(await fetcher.fetch(source))

    assert len(second.drafts) == 40
    assert least_costs(twitter_types.ENDPOINTS, config) == {
        "twitter_list": 5, "twitter_search": 0, "twitter_bookmarks": 5, "twitter_favorites": 5,
        "twitter_foryou": 0
    }  # fmt: skip
    assert least_costs(twitter_types.ENDPOINTS, settings(stage))["twitter_feed"] == 0


# --- configuration ------------------------------------------------------------------------------


def make(stage: Stage, parse: ParsePool, config: TwitterConfig) -> Fetchers:
    environ = {
        "X_BEARER_TOKEN": config.bearer_token.reveal() if config.bearer_token else "",
        "X_USER_TOKEN": config.user_token.reveal() if config.user_token else "",
        "X_BRIDGES": ",".join(config.bridges),
    }
    settings = load_config(environ, directory=Path("/nowhere")).type_settings
    kit = fetcher_kit(stage, parse, settings)
    return build_fetchers(KnownTypes(twitter_types.TYPES), kit)


@pytest.mark.parametrize(
    ("config", "served"),
    [
        (TwitterConfig(), set()),
        (
            TwitterConfig(bearer_token=Secret("t")),
            {"twitter_feed", "twitter_list", "twitter_search"},
        ),
        (
            TwitterConfig(user_token=Secret("t")),
            {endpoint.name for endpoint in twitter_types.ENDPOINTS},
        ),
        (TwitterConfig(bridges=("https://b.example/{handle}",)), {"twitter_feed"}),
        (TwitterConfig(bridges=("https://b.example/list/{list_id}",)), {"twitter_list"}),
        (TwitterConfig(bridges=("https://b.example/search?q={query}",)), {"twitter_search"}),
        (
            TwitterConfig(bridges=("https://b.example/{type}",)),
            {"twitter_bookmarks", "twitter_favorites", "twitter_foryou"},
        ),
    ],
)
async def test_a_type_without_a_back_end_has_no_fetcher(
    stage: Stage, parse: ParsePool, config: TwitterConfig, served: set[str]
) -> None:
    """(S000-12, S001-8): skipped with a reason that names the setting."""
    fetchers = make(stage, parse, config)

    assert set(fetchers) == served
    for missing in {endpoint.name for endpoint in twitter_types.ENDPOINTS} - served:
        assert fetchers.get(missing) is None
        assert "X_" in fetchers.why_absent(missing)


async def test_the_old_name_of_an_account_works(stage: Stage, parse: ParsePool) -> None:
    fetchers = make(stage, parse, BOTH)

    assert fetchers.get("twitter_account") is fetchers.get("twitter_feed")


@pytest.mark.parametrize(
    ("source_type", "config", "problem"),
    [
        ("twitter_feed", {}, "handle is missing"),
        ("twitter_feed", {"handle": "@a_name_that_is_too_long"}, "handle must be"),
        ("twitter_feed", {"handle": "https://x.com/a"}, "handle must be"),
        ("twitter_feed", {"handle": "a, b; c\n@d"}, "handle holds 4 names"),
        ("twitter_feed", {"handle": ["a"] * 213}, "handle holds 213 names"),
        ("twitter_feed", {"handles": ["a"], "handle": "a"}, "'handles' is no setting"),
        ("twitter_search", {}, "query is missing"),
        ("twitter_search", {"query": "  "}, "query must be"),
        ("twitter_search", {"query": "a" * 513}, "query must be"),
        ("twitter_list", {}, "list_id is missing"),
        ("twitter_list", {"list_id": "my-list"}, "list_id must be"),
        ("twitter_bookmarks", {"user_id": "me"}, "user_id must be"),
    ],
)
async def test_absurd_configs_are_named(
    stage: Stage,
    parse: ParsePool,
    source_type: str,
    config: Mapping[str, JsonValue],
    problem: str,
) -> None:
    """(S001-17)."""
    [found] = twitter(stage, parse, source_type).check(config)

    assert found.startswith(problem)


async def test_only_a_single_back_end_has_a_host_to_wait_for(
    stage: Stage, parse: ParsePool
) -> None:
    """(S001-8, S001-10): with several, the next is asked while one rests."""
    one, other = "https://one.example/{handle}", "https://other.example/{handle}"
    no_account = "https://one.example/list/{list_id}"
    x = "https://api.x.com"

    def place(config: TwitterConfig) -> str:
        return twitter(stage, parse, config=config).place({"handle": "@Ann"})

    assert place(BOTH) == x
    assert place(replace(BOTH, bridges=(no_account,))) == x
    assert place(TwitterConfig(bridges=(one, no_account))) == "https://one.example/Ann"
    assert place(replace(BOTH, bridges=(one,))) == ""
    assert place(TwitterConfig(bridges=(one, other))) == ""


async def test_good_configs_have_no_problems(stage: Stage, parse: ParsePool) -> None:
    assert twitter(stage, parse).check({"handle": "@OpenAI"}) == []
    assert twitter(stage, parse, "twitter_list").check({"list_id": 15}) == []
    assert (
        twitter(stage, parse, "twitter_search").check({"query": "(rust OR 芯片) -is:retweet"}) == []
    )
    assert twitter(stage, parse, "twitter_foryou").check({"user_id": "15"}) == []


# --- the contract -------------------------------------------------------------------------------


def api_documents(post: Post) -> dict[str, bytes]:
    date = post.published
    if isinstance(date, int) and 0 < date < 10**12:
        date = datetime.fromtimestamp(date, UTC).isoformat()
    found = {
        "id": "7",
        "author_id": "1",
        # A post is plain text: that somebody writes of "javascript:" in it is no harm.
        "text": f"{post.title}\n{post.content} https://t.co/a".replace("javascript:", ""),
        "entities": {"urls": [{"url": "https://t.co/a", "expanded_url": post.url}]},
        "created_at": date,
        "lang": post.title[:9],
    }
    users = [{"id": "1", "username": post.author}]
    page = {"data": [found], "includes": {"users": users}, "meta": {"next_token": "more"}}
    return {"/x/2/users/1*": json.dumps(page).encode()}  # every simulated id begins so


def built(tools: Tools, config: TwitterConfig) -> Twitter:
    return Twitter(
        twitter_types.ACCOUNT.endpoint,
        egress=tools.egress,
        parse=tools.parse,
        clock=tools.clock,
        settings=config,
        budget=Purse(),
        limits=tools.limits,
    )


class TestTheApiKeepsTheContract(FetcherContract):
    subject = Subject(
        build=lambda tools: built(tools, replace(BOTH, api_base_url=f"{tools.url}/x")),
        config=lambda _: {"handle": HANDLE},
        documents=api_documents,
        key="handle",
    )


def bridge_documents(post: Post) -> dict[str, bytes]:
    date = post.published
    if isinstance(date, int) and 0 < date < 10**12:
        date = datetime.fromtimestamp(date, UTC).isoformat()
    item = {"title": post.title, "content_html": post.content, "date_published": str(date)}
    # Whatever its address is, the one is no post on X; the other is, whatever follows.
    items = [
        {"title": "No post", "id": "1", "url": post.url},
        item | {"id": "2", "url": f"https://nitter.example/Ann/status/7#{post.url}"},
    ]
    feed = {"version": "https://jsonfeed.org/version/1", "items": items}
    return {"/bridge/*": json.dumps(feed).encode()}


class TestTheBridgesKeepTheContract(FetcherContract):
    subject = Subject(
        build=lambda tools: built(tools, TwitterConfig(bridges=(bridge(tools.url),))),
        config=lambda _: {"handle": HANDLE},
        documents=bridge_documents,
        key="handle",
        reads_any_page=True,
    )
