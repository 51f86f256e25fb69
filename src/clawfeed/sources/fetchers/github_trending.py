"""GitHub's trending repositories (S001-5, S001-6): a page made for people, read in a worker."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from http import HTTPStatus
from urllib.parse import quote, urlencode

from clawfeed.domain.ids import JsonValue
from clawfeed.domain.sources.source import Fetched, NotModified, Source
from clawfeed.egress.client import Egress
from clawfeed.egress.request_and_response import Request
from clawfeed.egress.response_limits import Limits
from clawfeed.sources.config.checks import check_choice, check_keys, check_text, require
from clawfeed.sources.config.github_trending import DEFAULTS, KEYS, LANGUAGE, SPANS, SPOKEN_LANGUAGE
from clawfeed.sources.fetchers.conditional_requests import read, remember, remembered
from clawfeed.sources.fetchers.response_outcomes import ask, hints_from
from clawfeed.sources.parsing.pool import ParsePool

# GitHub wraps 25 rows in some 600 KB of page.
LIMITS = Limits(body=2_000_000)


class GithubTrending:
    """Reads `github_trending{language, since, spoken_language}` from the site at *base_url*.

    Drafts carry no date: the page does not say when a repository began to trend.
    """

    def __init__(
        self,
        *,
        egress: Egress,
        parse: ParsePool,
        clock: Callable[[], datetime],
        base_url: str,
        limits: Limits = LIMITS,
    ) -> None:
        self._egress = egress
        self._parse = parse
        self._clock = clock
        self._base_url = base_url.rstrip("/")
        self._limits = limits

    def check(self, config: Mapping[str, JsonValue]) -> list[str]:
        spoken = "a language code of two letters, such as en or zh"
        return [
            *check_keys(config, KEYS),
            *check_text(config, "language", LANGUAGE, "a programming language, such as python"),
            *check_choice(config, "since", SPANS),
            *check_text(config, "spoken_language", SPOKEN_LANGUAGE, spoken),
        ]

    def place(self, _: Mapping[str, JsonValue]) -> str:
        return self._base_url

    async def fetch(self, source: Source) -> Fetched | NotModified:
        require(self, source.config)
        now = self._clock()
        url = f"{self._base_url}{_page(source.config)}"
        headers = {"Accept": "text/html", **remembered(source)}
        response = await ask(
            self._egress, Request(url=url, headers=headers, limits=self._limits), now=now
        )
        # The page is ours to choose, not a URL in the config that a redirect could correct.
        hints = replace(hints_from(response, now=now), moved_to=None)
        if response.status == HTTPStatus.NOT_MODIFIED:
            return NotModified(hints=hints)
        reading = await read(self._parse, "github_trending", response.body, {})
        dropped = f"{reading.dropped} rows could not be read"
        return Fetched(
            drafts=reading.drafts,
            cursor=remember(source, response),
            hints=hints,
            warnings=(dropped,) if reading.dropped else (),
        )


def _page(config: Mapping[str, JsonValue]) -> str:
    """The path and query of the wanted list, e.g. `/trending/c%2B%2B?since=daily`."""
    language = str(config.get("language") or "").strip().lower().replace(" ", "-")
    query = {"since": str(config.get("since") or DEFAULTS["since"])}
    if spoken := config.get("spoken_language"):
        query["spoken_language_code"] = str(spoken).lower()
    path = f"/trending/{quote(language, safe='')}" if language else "/trending"
    return f"{path}?{urlencode(query)}"
