"""Feeds for feed readers, wired: the feeds themselves, and the tokens for one's own."""

from __future__ import annotations

from fastapi import APIRouter

from clawfeed import __version__
from clawfeed.api.editions.feed_tokens import feed_token_routes
from clawfeed.api.editions.output_feeds import FeedsApi, feed_routes
from clawfeed.api.people.accounts import Accounts
from clawfeed.app.settings.config import Config


def feed_routers(config: Config, accounts: Accounts) -> list[APIRouter]:
    base_url = config.server.base_url.rstrip("/")
    feeds = FeedsApi(
        database=accounts.database, clock=accounts.clock, base_url=base_url, version=__version__
    )
    return [feed_routes(feeds), feed_token_routes(accounts, base_url)]
