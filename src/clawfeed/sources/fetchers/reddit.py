"""The posts of a subreddit (S001-5, S001-6), as anybody or as a registered application."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from http import HTTPStatus
from time import monotonic
from urllib.parse import urlencode, urlsplit

from clawfeed.domain.because import Because, Rule
from clawfeed.domain.errors import Reason, SourceError
from clawfeed.domain.ids import JsonValue
from clawfeed.domain.secret import Secret
from clawfeed.domain.sources.source import Fetched, Source
from clawfeed.egress.client import Egress
from clawfeed.egress.registrable_domain import site_of
from clawfeed.egress.request_and_response import Request, Response
from clawfeed.egress.response_limits import Limits
from clawfeed.egress.url import parse as parse_target
from clawfeed.sources.config.checks import (
    check_choice,
    check_keys,
    check_number,
    check_text,
    require,
)
from clawfeed.sources.config.reddit import DEFAULTS, KEYS, MOST_POSTS, SORTS, SUBREDDIT
from clawfeed.sources.documents.size_limit import warnings_of
from clawfeed.sources.fetchers.conditional_requests import read
from clawfeed.sources.fetchers.reddit_auth import AppTokens, Pacer
from clawfeed.sources.fetchers.response_outcomes import ask
from clawfeed.sources.host_turns import HostTurnTaker
from clawfeed.sources.parsing.pool import ParsePool

# A hundred long text posts, each twice: as text and as HTML.
LIMITS = Limits(body=4_000_000)
# What Reddit tolerates without an account.
PUBLIC_PACE = timedelta(minutes=1)
PUBLIC_HOSTS = frozenset({"www.reddit.com", "reddit.com", "old.reddit.com"})
OAUTH_HOME = "https://oauth.reddit.com"


class Reddit:
    """Reads `reddit{subreddit, sort, limit}`.

    Without *client_id* and *client_secret* one request a minute leaves this process, or all that
    share its *turns*: a poll that comes earlier raises a postponed `SourceError(BUSY)`, and
    *wait* says when to come back.
    """

    def __init__(
        self,
        *,
        egress: Egress,
        parse: ParsePool,
        clock: Callable[[], datetime],
        base_url: str,
        client_id: str | None = None,
        client_secret: Secret | None = None,
        turns: HostTurnTaker | None = None,
        limits: Limits = LIMITS,
        pace: timedelta = PUBLIC_PACE,
        monotonic: Callable[[], float] = monotonic,
    ) -> None:
        self._egress = egress
        self._parse = parse
        self._clock = clock
        self._limits = limits
        self._pace = pace
        self._pacer = Pacer(pace, monotonic)
        self._turns = turns
        home = base_url.rstrip("/")
        self._tokens: AppTokens | None = None
        if client_id and client_secret:
            self._tokens = AppTokens(
                egress=egress,
                clock=clock,
                url=f"{home}/api/v1/access_token",
                client_id=client_id,
                client_secret=client_secret,
                limits=limits,
            )
        is_public = urlsplit(home).hostname in PUBLIC_HOSTS
        self._home = OAUTH_HOME if self._tokens and is_public else home

    def check(self, config: Mapping[str, JsonValue]) -> list[str]:
        name = "the name of one subreddit, such as python or r/python"
        return [
            *check_keys(config, KEYS),
            *check_text(config, "subreddit", SUBREDDIT, name, required=True),
            *check_choice(config, "sort", SORTS),
            *check_number(config, "limit", 1, MOST_POSTS),
        ]

    def place(self, _: Mapping[str, JsonValue]) -> str:
        return self._home

    async def fetch(self, source: Source) -> Fetched:
        require(self, source.config)
        response = await self._listing(f"{self._home}{_path(source.config)}")
        # Without an account, a name that does not exist is answered with a search for it.
        if urlsplit(response.url).path.startswith("/subreddits/search"):
            raise SourceError(Reason.GONE, "there is no subreddit of this name")
        options: dict[str, JsonValue] = {
            "limit": _limit(source.config),
            "now": self._clock().isoformat(),
        }
        reading = await read(self._parse, "reddit", response.body, options)
        dropped = (f"{reading.dropped} posts without a title",) if reading.dropped else ()
        return Fetched(drafts=reading.drafts, warnings=(*dropped, *warnings_of(reading.shortened)))

    async def _listing(self, url: str) -> Response:
        if self._tokens is None:
            await self._wait_for_turn()
            return await self._ask(url, {})
        token = await self._tokens.get()
        try:
            return await self._ask(url, _bearer(token))
        except SourceError as error:
            if error.status != HTTPStatus.UNAUTHORIZED:
                raise
        # Revoked before its time: once more with a new one, and no further.
        self._tokens.forget(token)
        return await self._ask(url, _bearer(await self._tokens.get()))

    async def _wait_for_turn(self) -> None:
        wait = await self._turn()
        if wait is not None:
            raise SourceError(
                Reason.BUSY,
                "Reddit is asked once a minute without an account",
                wait=wait,
                postponed=Because(
                    Rule.SITE_PACE,
                    {"site": "Reddit", "every_minutes": self._pace.total_seconds() / 60},
                ),
            )

    async def _turn(self) -> timedelta | None:
        if self._turns is None:
            return self._pacer.enter()
        # The key that claims go by (`host`), so that nobody claims what could not be asked.
        site = site_of(parse_target(self._home))
        return await self._turns.take(site, self._pace, at=self._clock())

    async def _ask(self, url: str, headers: Mapping[str, str]) -> Response:
        request = Request(url=url, headers=headers, limits=self._limits)
        return await ask(self._egress, request, now=self._clock())


def _bearer(token: Secret) -> dict[str, str]:
    return {"Authorization": f"Bearer {token.reveal()}"}


def _path(config: Mapping[str, JsonValue]) -> str:
    found = SUBREDDIT.fullmatch(str(config["subreddit"]))
    sort = str(config.get("sort") or DEFAULTS["sort"])
    # raw_json: "<" as "<", not as the "&lt;" that Reddit writes for clients of 2008.
    query = {"limit": str(_limit(config)), "raw_json": "1"} | (
        {"t": "day"} if sort == "top" else {}
    )
    return f"/r/{found[1] if found else ''}/{sort}.json?{urlencode(query)}"


def _limit(config: Mapping[str, JsonValue]) -> JsonValue:
    return config.get("limit") or DEFAULTS["limit"]
