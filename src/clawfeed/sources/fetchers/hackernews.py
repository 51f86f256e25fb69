"""Hacker News: the front page or the newest stories, above a score (S001-5, S001-6)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from clawfeed.domain.errors import Reason, SourceError
from clawfeed.domain.ids import JsonValue
from clawfeed.domain.sources.item import Draft
from clawfeed.domain.sources.source import Fetched, Source
from clawfeed.egress.client import Egress
from clawfeed.egress.request_and_response import Request
from clawfeed.egress.response_limits import DEFAULT_LIMITS, Limits
from clawfeed.sources.config.checks import check_choice, check_keys, check_number, require
from clawfeed.sources.config.hackernews import DEFAULTS, FILTERS, HIGHEST_SCORE, KEYS, MOST_STORIES
from clawfeed.sources.documents.json_values import count_of, list_of
from clawfeed.sources.fetchers.conditional_requests import read
from clawfeed.sources.fetchers.response_outcomes import ask
from clawfeed.sources.parsing.pool import ParsePool

# What the API calls them.
LISTS = {"top": "topstories", "new": "newstories"}
# Stories asked for at once; egress spaces them out besides (a hundred take about 30 s).
REQUESTS_AT_ONCE = 4
# A poll holds one of few places in the collector: what is not read by then waits for the next.
FETCH_TIMEOUT = timedelta(seconds=45)
# After so many failures the rest would fail too.
MOST_FAILURES = 5
# The real lists hold 500 ids.
MOST_REMEMBERED = 500


@dataclass(slots=True)
class _StoryBatch:
    """What the readers of one poll bring home, together."""

    drafts: dict[int, tuple[Draft, ...]] = field(default_factory=dict)
    failures: list[SourceError] = field(default_factory=list)

    @property
    def is_hopeless(self) -> bool:
        """Whether to ask no more: too much fails, or the site wants rest."""
        busy = any(failure.reason is Reason.BUSY for failure in self.failures)
        return busy or len(self.failures) >= MOST_FAILURES


class HackerNews:
    """Reads `hackernews{filter, min_score, limit}` from the public API at *base_url*.

    The cursor holds the ids already kept, so a poll asks only for stories that are new or were
    below the score before: scores rise.
    """

    def __init__(
        self,
        *,
        egress: Egress,
        parse: ParsePool,
        clock: Callable[[], datetime],
        base_url: str,
        limits: Limits = DEFAULT_LIMITS,
        patience: timedelta = FETCH_TIMEOUT,
    ) -> None:
        self._egress = egress
        self._parse = parse
        self._clock = clock
        self._base_url = base_url.rstrip("/")
        self._limits = limits
        self._patience = patience

    def check(self, config: Mapping[str, JsonValue]) -> list[str]:
        return [
            *check_keys(config, KEYS),
            *check_choice(config, "filter", FILTERS),
            *check_number(config, "min_score", 0, HIGHEST_SCORE),
            *check_number(config, "limit", 1, MOST_STORIES),
        ]

    def place(self, _: Mapping[str, JsonValue]) -> str:
        return self._base_url

    async def fetch(self, source: Source) -> Fetched:
        """One list, then each story on it that we do not have.

        A story that cannot be read is asked for again next time; only if none can, the poll fails.
        """
        require(self, source.config)
        kept = [
            number for entry in list_of(source.cursor.get("kept")) if (number := count_of(entry))
        ]
        ids = await self._ids(source.config)
        harvest = await self._stories([number for number in ids if number not in set(kept)])
        min_score = count_of(source.config.get("min_score")) or 0
        found = {n: d for n, d in _in_order(ids, harvest.drafts) if _score(d) >= min_score}
        cursor = list[JsonValue](dict.fromkeys((*found, *kept)))[:MOST_REMEMBERED]
        return Fetched(
            drafts=tuple(found.values()),
            cursor={"kept": cursor},
            warnings=_warnings(harvest.failures),
        )

    async def _ids(self, config: Mapping[str, JsonValue]) -> list[int]:
        name = LISTS[str(config.get("filter") or DEFAULTS["filter"])]
        limit = config.get("limit") or DEFAULTS["limit"]
        body = await self._ask(f"v0/{name}.json")
        return await self._parse.run("hackernews_ids", body, {"limit": limit}, list[int])

    async def _stories(self, ids: Sequence[int]) -> _StoryBatch:
        """All that can be read within our patience; `SourceError` if that is nothing at all."""
        harvest, waiting = _StoryBatch(), iter(ids)
        try:
            async with (
                asyncio.timeout(self._patience.total_seconds()),
                asyncio.TaskGroup() as readers,
            ):
                for _ in range(REQUESTS_AT_ONCE):
                    readers.create_task(self._read_on(waiting, harvest))
        except TimeoutError:
            pass  # the rest is asked for next time
        if ids and not harvest.drafts:
            raise next(iter(harvest.failures), _too_slow())
        return harvest

    async def _read_on(self, waiting: Iterator[int], harvest: _StoryBatch) -> None:
        """Take story after story from *waiting*, which all readers share."""
        for number in waiting:
            if harvest.is_hopeless:
                return
            try:
                harvest.drafts[number] = await self._story(number)
            except SourceError as failure:
                harvest.failures.append(failure)

    async def _story(self, number: int) -> tuple[Draft, ...]:
        body = await self._ask(f"v0/item/{number}.json")
        options: dict[str, JsonValue] = {"id": number, "now": self._clock().isoformat()}
        return (await read(self._parse, "hackernews_story", body, options)).drafts

    async def _ask(self, path: str) -> bytes:
        request = Request(url=f"{self._base_url}/{path}", limits=self._limits)
        return (await ask(self._egress, request, now=self._clock())).body


def _in_order(
    ids: Iterable[int], drafts: Mapping[int, tuple[Draft, ...]]
) -> Iterator[tuple[int, Draft]]:
    """The stories in the list's order, however their answers came in."""
    return ((number, draft) for number in ids for draft in drafts.get(number, ()))


def _score(draft: Draft) -> int:
    return count_of(draft.metadata.get("score")) or 0


def _warnings(failures: Sequence[SourceError]) -> tuple[str, ...]:
    if not failures:
        return ()
    return (f"{len(failures)} stories could not be read, the first because {failures[0].detail}",)


def _too_slow() -> SourceError:
    return SourceError(Reason.TIMED_OUT, "no story came in time")
