from __future__ import annotations

import pytest

from clawfeed.simulator import Origin, demo_sources, settings
from clawfeed.simulator.demo_setup import FEEDS
from tests.simulator.raw_client import get

TYPES = {
    "rss",
    "digest_feed",
    "hackernews",
    "reddit",
    "github_trending",
    "website",
    "custom_api",
    "twitter_feed",
    "twitter_list",
    "twitter_search",
    "twitter_bookmarks",
    "twitter_favorites",
    "twitter_foryou",
}


def test_the_cast_has_a_role_of_every_type() -> None:
    """Proves (S001-5, S001-8)."""
    roles = demo_sources("http://sim")

    assert {role.type for role in roles} == TYPES
    assert len({role.name for role in roles}) == len(roles) >= 20


async def test_every_address_in_the_cast_answers(origin: Origin) -> None:
    roles = demo_sources(origin.url)

    for role in roles:
        address = role.config.get("url") or role.config.get("endpoint")
        if isinstance(address, str):
            reply = await get(
                origin, address.removeprefix(origin.url), x_api_key="simulated-api-key"
            )
            assert reply.status == 200, address


@pytest.mark.parametrize(
    ("setting", "path"),
    [
        ("HACKERNEWS_BASE_URL", "/v0/topstories.json"),
        ("REDDIT_BASE_URL", "/r/programming/hot.json"),
        ("GITHUB_TRENDING_BASE_URL", "/trending/python?since=daily"),
        ("X_API_BASE_URL", "/2/users/by/username/chip_gossip"),
    ],
)
async def test_the_settings_point_at_the_services(origin: Origin, setting: str, path: str) -> None:
    environment = settings(origin.url)

    address = environment[setting].removeprefix(origin.url) + path
    reply = await get(origin, address, authorization=f"Bearer {environment['X_BEARER_TOKEN']}")

    assert reply.status == 200
    assert environment["EGRESS_ALLOW"] == origin.url.removeprefix("http://")


async def test_the_bridge_template_finds_every_account(origin: Origin) -> None:
    template = settings(origin.url)["X_BRIDGES"].removeprefix(origin.url)
    accounts = [feed for feed in FEEDS if feed.shape == "x account"]

    replies = [await get(origin, template.format(handle=feed.id)) for feed in accounts]

    assert [reply.status for reply in replies] == [200] * len(accounts)
