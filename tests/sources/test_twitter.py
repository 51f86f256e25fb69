"""Twitter/X: what is read, what it costs, and who is asked when someone fails (S001-8)."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import pytest_asyncio

from clawfeed.domain.errors import Reason, SourceError
from clawfeed.domain.ids import JsonValue
from clawfeed.domain.read_budget import Ration
from clawfeed.domain.secret import Secret
from clawfeed.domain.source import NotModified, Source
from clawfeed.simulator import Fault, Misbehaviour, demo_world, status
from clawfeed.simulator.x import APP_TOKEN, LIST_ID, USER_TOKEN
from clawfeed.sources.parse import ParsePool
from clawfeed.sources.registry import Fetchers
from clawfeed.sources.twitter import TYPES, Twitter, TwitterConfig, least_costs, register_twitter
from clawfeed.storage.database import Database
from clawfeed.storage.reads import MonthlyReads, ReadStore
from tests.sources.stage import DAY, HOUR, Stage, fetched, keys, look, source_of, staged
from tests.support.clocks import NOON
from tests.support.contract import FetcherContract, Post, Subject, Tools
from tests.support.origin import door, on_stage

pytestmark = pytest.mark.asyncio(loop_scope="module")

HANDLE = "chip_gossip"
BOTH = TwitterConfig(bearer_token=Secret(APP_TOKEN), user_token=Secret(USER_TOKEN))


@dataclass(slots=True)
class Purse:
    """A budget in memory that notes what was really asked of it."""

    limit: int = 10_000
    used: int = 0
    most: int = 0
    short: Ration | None = None

    async def reserve(self, wanted: int, *, at: datetime) -> int:
        del at
        granted = min(wanted, self.limit - self.used)
        self.used += granted
        self.most = max(self.most, self.used)
        return granted

    async def give_back(self, unused: int, *, at: datetime) -> None:
        del at
        self.used -= unused

    async def ration(self, *, at: datetime) -> Ration | None:
        del at
        return self.short


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def parse() -> AsyncIterator[ParsePool]:
    async with ParsePool() as pool:
        yield pool


@pytest_asyncio.fixture(loop_scope="module")
async def stage(tmp_path: Path) -> AsyncIterator[Stage]:
    async with staged(tmp_path) as found:
        yield found


def settings(stage: Stage, *, bridges: tuple[str, ...] = ()) -> TwitterConfig:
    return replace(BOTH, api_base_url=f"{stage.url}/x", bridges=bridges)


def twitter(
    stage: Stage,
    parse: ParsePool,
    source_type: str = "twitter_feed",
    *,
    config: TwitterConfig | None = None,
    purse: Purse | None = None,
) -> Twitter:
    return Twitter(
        source_type,
        egress=stage.egress,
        parse=parse,
        clock=stage.clock,
        settings=config or settings(stage),
        budget=purse or Purse(),
    )


def account() -> Source:
    return source_of("twitter_feed", handle=f"@{HANDLE}")


def bridge(url: str) -> str:
    return f"{url}/bridge/twitter/user/{{handle}}"


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


async def test_the_second_look_reads_nothing_and_asks_for_the_name_no_more(
    stage: Stage, parse: ParsePool
) -> None:
    """`since_id` and the account's id are remembered: no read is spent on what is known."""
    purse = Purse()
    fetcher = twitter(stage, parse, purse=purse)
    _, source = await look(fetcher, account())
    spent, asked = purse.used, len(stage.journal())

    second = await fetcher.fetch(source)

    assert isinstance(second, NotModified)
    assert purse.used == spent == 20
    assert len(stage.journal()) == asked + 1


async def test_only_new_posts_are_read_and_paid_for(stage: Stage, parse: ParsePool) -> None:
    purse = Purse()
    fetcher = twitter(stage, parse, purse=purse)
    first, source = await look(fetcher, account())
    stage.clock.advance(3 * HOUR)

    second, source = await look(fetcher, source)

    new = fetched(second).drafts
    assert 2 <= len(new) <= 4
    assert not keys(first) & keys(second)
    assert purse.used == 20 + len(new)
    assert source.cursor["since_id"] == new[0].metadata["tweet_id"]


async def test_many_new_posts_are_read_page_by_page(stage: Stage, parse: ParsePool) -> None:
    """A week away: 40 posts are listed, the first page holds 20."""
    fetcher = twitter(stage, parse)
    _, source = await look(fetcher, account())
    stage.clock.advance(7 * DAY)

    second = fetched(await fetcher.fetch(source))

    assert len(second.drafts) == 40
    assert second.warnings == ()


async def test_a_later_page_that_fails_loses_nothing(stage: Stage, parse: ParsePool) -> None:
    """What came is kept, `since_id` stays, and the next look brings the rest."""
    purse = Purse(limit=20 + 30)
    fetcher = twitter(stage, parse, purse=purse)
    _, source = await look(fetcher, account())
    stage.clock.advance(7 * DAY)

    second, source = await look(fetcher, source)
    purse.limit = 1000
    third, source = await look(fetcher, source)

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
    """(S001-8). The second look costs at most one small page."""
    purse = Purse()
    fetcher = twitter(stage, parse, source_type, purse=purse)

    first, source = await look(fetcher, source_of(source_type, **config))
    spent = purse.used
    second, source = await look(fetcher, source)

    assert len(keys(first)) == spent == 20
    assert all(str(draft.url).startswith("https://x.com/") for draft in fetched(first).drafts)
    assert purse.used <= spent + 5
    assert isinstance(second, NotModified) or keys(second) <= keys(first)


async def test_a_list_is_read_on_until_something_is_known(stage: Stage, parse: ParsePool) -> None:
    """X takes no `since_id` for lists: the pages grow until one holds a known post."""
    fetcher = twitter(stage, parse, "twitter_list")
    first, source = await look(fetcher, source_of("twitter_list", list_id=LIST_ID))
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


def serve_posts(stage: Stage, value: object) -> None:
    fault = Misbehaviour(
        fault=Fault.OTHER_BODY, body=json.dumps(value), content_type="application/json"
    )
    stage.world.misbehave("/x/2/users/1*", fault)


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


async def test_a_refusal_costs_nothing_but_silence_does(stage: Stage, parse: ParsePool) -> None:
    """Of an answer that never came nobody knows what was counted; then X is left alone a while."""
    purse = Purse()
    fetcher = twitter(stage, parse, purse=purse)
    _, source = await look(fetcher, account())
    spent = purse.used
    stage.world.misbehave("/x/2/users/1*", status(500), times=1)
    with pytest.raises(SourceError):
        await fetcher.fetch(source)
    assert purse.used == spent

    stage.world.misbehave("/x/2/users/1*", Misbehaviour(fault=Fault.RESET))
    for _ in range(5):
        with pytest.raises(SourceError) as caught:
            await fetcher.fetch(source)

    assert caught.value.reason is Reason.UNREACHABLE
    assert purse.used == spent + 20


@pytest.mark.asyncio(loop_scope="function")
async def test_many_collectors_never_exceed_the_budget(database: Database, tmp_path: Path) -> None:
    """Side by side on one database; X itself counts what it gave away (property of S001-8)."""
    limit = 90
    budget = MonthlyReads(store=ReadStore(database), api="x", limit=limit)
    handles = ("ingridsolheim", HANDLE, "orbit_daily", "linyuqing")
    async with staged(tmp_path) as stage, ParsePool() as parse:
        fetchers = [
            Twitter(
                "twitter_feed",
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
    purse = Purse(short=Ration(page=8))
    fetcher = twitter(stage, parse, purse=purse)
    _, source = await look(fetcher, account())
    stage.clock.advance(7 * DAY)

    second, source = await look(fetcher, source)
    third, source = await look(fetcher, source)

    origin = stage.world.feeds[HANDLE]
    assert [draft.url for draft in fetched(second).drafts] == list(stage.world.keys(origin))[:8]
    assert fetched(second).warnings == ("more was posted than the monthly X read budget allows",)
    assert purse.used == 20 + 8
    assert fetched(third).drafts == ()
    assert "is_behind" not in source.cursor


async def test_a_list_stays_within_a_short_budget(stage: Stage, parse: ParsePool) -> None:
    purse = Purse(short=Ration(page=12))
    fetcher = twitter(stage, parse, "twitter_list", purse=purse)
    _, source = await look(fetcher, source_of("twitter_list", list_id=LIST_ID))
    stage.clock.advance(3 * DAY)

    second = await fetcher.fetch(source)

    assert len(keys(second)) == 12
    assert purse.used == 20 + 12


async def test_without_a_page_a_day_for_each_only_the_costly_take_turns(
    stage: Stage, parse: ParsePool
) -> None:
    """Whoever posts no more than its page costs what it posts, and is read when it is due."""
    purse = Purse(short=Ration(page=5, gap=3 * DAY))
    fetcher = twitter(stage, parse, purse=purse)
    _, modest = await look(fetcher, account())
    stage.clock.advance(3 * HOUR)
    _, modest = await look(fetcher, replace(modest, last_fetched_at=NOON))
    stage.clock.advance(7 * DAY)
    _, costly = await look(fetcher, replace(modest, last_fetched_at=NOON + 3 * HOUR))
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
    purse = Purse(short=Ration(page=8, gap=3 * DAY))
    config = settings(stage, bridges=(bridge(stage.url),))
    fetcher = twitter(stage, parse, config=config, purse=purse)
    _, source = await look(fetcher, account())
    stage.clock.advance(7 * DAY)

    second = fetched(await fetcher.fetch(source))

    assert len(second.drafts) == 40
    assert least_costs(config) == {
        "twitter_list": 5, "twitter_bookmarks": 5, "twitter_favorites": 5, "twitter_foryou": 0
    }  # fmt: skip
    assert least_costs(settings(stage))["twitter_feed"] == 0


# --- limits and fallbacks -----------------------------------------------------------------------


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


@asynccontextmanager
async def two_origins(folder: Path) -> AsyncIterator[tuple[Stage, str]]:
    """X at one address and a bridge at another, as in life: each rests for itself."""
    other = demo_world(seed=7, clock=lambda: NOON)
    async with (
        staged(folder) as stage,
        on_stage(other, folder / "bridge.jsonl") as bridging,
        door(stage.url, bridging.url, clock=stage.clock) as egress,
    ):
        yield replace(stage, egress=egress), bridging.url


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


# --- configuration ------------------------------------------------------------------------------


def make(stage: Stage, parse: ParsePool, config: TwitterConfig) -> Fetchers:
    fetchers = Fetchers()
    register_twitter(
        fetchers,
        egress=stage.egress,
        parse=parse,
        clock=stage.clock,
        settings=config,
        budget=Purse(),
    )
    return fetchers


@pytest.mark.parametrize(
    ("config", "served"),
    [
        (TwitterConfig(), set()),
        (TwitterConfig(bearer_token=Secret("t")), {"twitter_feed", "twitter_list"}),
        (TwitterConfig(user_token=Secret("t")), set(TYPES)),
        (TwitterConfig(bridges=("https://b.example/{handle}",)), {"twitter_feed"}),
        (TwitterConfig(bridges=("https://b.example/list/{list_id}",)), {"twitter_list"}),
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
    for missing in set(TYPES) - served:
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


async def test_good_configs_have_no_problems(stage: Stage, parse: ParsePool) -> None:
    assert twitter(stage, parse).check({"handle": "@OpenAI"}) == []
    assert twitter(stage, parse, "twitter_list").check({"list_id": 15}) == []
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
        "twitter_feed",
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
    item = {"title": post.title, "url": post.url, "content_html": post.content}
    item |= {"date_published": str(date), "id": "1"}
    feed = {"version": "https://jsonfeed.org/version/1", "items": [item]}
    return {"/bridge/*": json.dumps(feed).encode()}


class TestTheBridgesKeepTheContract(FetcherContract):
    subject = Subject(
        build=lambda tools: built(tools, TwitterConfig(bridges=(bridge(tools.url),))),
        config=lambda _: {"handle": HANDLE},
        documents=bridge_documents,
        key="handle",
        reads_any_page=True,
    )
