"""Collectors in plain Python (S003-2): found as entry points or in a folder, read like any source.

A collector is an object, or a class that can be made without arguments, with

    name                      the source type it serves: lower case, digits, "_"
    default_interval_seconds  how often to run, unless somebody says otherwise
    params                    optional: the parameters to run with, one schedule for each
    async def fetch(self, param)    an async generator of events; param is "" without `params`

An event is a mapping or a dataclass with `title`, `url`, `content` (HTML), `author`,
`published_at` (datetime, ISO text or seconds since 1970) and `metadata`; all may be absent, but
one of title, content and url must say something. Events pass the same cleaning as any feed.

If `fetch` takes a keyword `http`, it is given a `PluginHttp`, whose requests leave through the
guarded door like all others: `status, body = await http.get(url)`.

    class Tides:
        name = "tides"
        default_interval_seconds = 3600
        params = ["Bergen", "Brest"]

        async def fetch(self, param, *, http):
            status, body = await http.get(f"https://tides.example/{param}.json")
            for tide in json.loads(body):
                yield {"title": f"{param}: {tide['height']} m", "published_at": tide["at"]}

`fetch` runs in our event loop: it must await, never block. A module in the folder may name its
collectors in `COLLECTORS = [...]`; files that begin with "_" are left alone.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Mapping
from contextlib import aclosing
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple

from clawfeed.domain.errors import Reason, SourceError, WorldError
from clawfeed.domain.ids import JsonValue
from clawfeed.domain.polling.failures import as_source_error, decide_reason
from clawfeed.domain.sources.item import Draft
from clawfeed.domain.sources.source import Fetched, NotModified, Source
from clawfeed.domain.sources.type_facts import PLUGIN_KEY
from clawfeed.egress.client import Egress
from clawfeed.egress.request_and_response import Request
from clawfeed.egress.response_limits import Limits
from clawfeed.sources.config.checks import check_choice, check_keys, describe, require
from clawfeed.sources.documents.text_cleaning import decode
from clawfeed.sources.parsing.pool import ParsePool
from clawfeed.sources.plugins.loader import PluginCollector, complaint_of, load_plugins, place_of
from clawfeed.sources.plugins.plugin_events import LARGEST_DOCUMENT, Event, as_document, read_event

__all__ = ["PluginAnswer", "PluginCollector", "PluginFetcher", "PluginHttp", "load_plugins"]

MOST_EVENTS: Final = 1000
TIME_LIMIT: Final = timedelta(seconds=60)
HTTP_LIMITS: Final = Limits(body=5_000_000)


class PluginAnswer(NamedTuple):
    """What came back, whatever its status."""

    status: int
    body: bytes

    @property
    def text(self) -> str:
        return decode(self.body, ())


class PluginHttp:
    """The guarded door out, as small as a plug-in needs it."""

    def __init__(self, egress: Egress, limits: Limits = HTTP_LIMITS) -> None:
        self._egress = egress
        self._limits = limits

    async def get(self, url: str, headers: Mapping[str, str] | None = None) -> PluginAnswer:
        """Ask for *url*; raises `EgressError` if no answer came, which the run may let pass."""
        response = await self._egress.request(
            Request(url=url, headers=dict(headers or {}), limits=self._limits)
        )
        return PluginAnswer(response.status, response.body)


class PluginFetcher:
    """Runs one collector as the fetcher of its type. Its config is `{param}`, or nothing.

    Whatever the plug-in raises becomes a failure of that source alone. At most a thousand events
    and a minute per poll; what came before the thousandth is kept, what came late is not.
    """

    def __init__(
        self,
        collector: PluginCollector,
        *,
        egress: Egress,
        parse: ParsePool,
        clock: Callable[[], datetime],
        limits: Limits = HTTP_LIMITS,
        time_limit: timedelta = TIME_LIMIT,
    ) -> None:
        self._collector = collector
        self._http = PluginHttp(egress, limits)
        self._parse = parse
        self._clock = clock
        self._time_limit = time_limit

    def check(self, config: Mapping[str, JsonValue]) -> list[str]:
        problems = check_keys(config, (PLUGIN_KEY,))
        if self._collector.params:
            chosen = {"param": config.get("param") or ""}
            return [*check_choice(chosen, "param", self._collector.params), *problems]
        if config.get("param"):
            text = f"param must be left out, not {describe(config['param'])}: there is no choice."
            return [text, *problems]
        return problems

    def place(self, config: Mapping[str, JsonValue]) -> str:
        """Nobody's: only the plug-in knows whom it asks."""
        del config
        return ""

    async def fetch(self, source: Source) -> Fetched | NotModified:
        require(self, source.config)
        param = str(source.config.get("param") or "")
        try:
            async with asyncio.timeout(self._time_limit.total_seconds()) as limit:
                events, warnings = await self._run(param)
        except TimeoutError as error:
            if not limit.expired():
                raise self._complaint(error) from error
            seconds = self._time_limit.total_seconds()
            text = f"the plug-in {self._collector.name} was not done after {seconds:g} s"
            raise SourceError(Reason.TIMED_OUT, text) from error
        except WorldError as error:
            raise _as_reported(error) from error
        except (Exception, SystemExit) as error:
            raise self._complaint(error) from error
        drafts = await self._cleaned(events)
        if dropped := len(events) - len(drafts):
            warnings.append(f"{dropped} events were left out: nothing to show")
        return Fetched(drafts=drafts, cursor=dict(source.cursor), warnings=tuple(warnings))

    async def _run(self, param: str) -> tuple[list[Event], list[str]]:
        """The events as far as we take them, and what was left out."""
        events: list[Event] = []
        size = 0
        async with aclosing(self._events(param)) as found:
            async for raw in found:
                event = read_event(raw, number=len(events))
                size += event.size
                if len(events) == MOST_EVENTS or size > LARGEST_DOCUMENT:
                    return events, [f"only the first {len(events)} events were taken"]
                events.append(event)
        return events, []

    def _events(self, param: str) -> Any:  # noqa: ANN401 - the plug-in's own generator
        fetch = self._collector.fetch
        return fetch(param, http=self._http) if self._collector.wants_http else fetch(param)

    async def _cleaned(self, events: list[Event]) -> tuple[Draft, ...]:
        """The events as drafts, made safe in a parse worker like any feed."""
        if not events:
            return ()
        document = await self._parse.feed(
            as_document(events),
            content_type="application/feed+json; charset=utf-8",
            base_url="about:blank",
            now=self._clock(),
        )
        metadata = {str(event.number): event.metadata for event in events}
        return tuple(
            replace(draft, metadata=metadata.get(str(draft.metadata.get("guid")), {}), version=None)
            for draft in document.entries
        )

    def _complaint(self, error: BaseException) -> SourceError:
        complaint = complaint_of(error)
        # Its words are all there is to go by (S004-7).
        reason = decide_reason(Reason.BROKEN, complaint)
        place = place_of(error, self._is_theirs)
        at = f" ({place})" if place else ""
        return SourceError(reason, f"the plug-in {self._collector.name} raised {complaint}{at}")

    def _is_theirs(self, file: str) -> bool:
        """Whether *file* is the one that the collector's `fetch` is written in."""
        code = getattr(inspect.unwrap(self._collector.fetch), "__code__", None)
        return code is not None and file == code.co_filename


def _as_reported(error: WorldError) -> SourceError:
    """The plug-in's own error, or that of a request it made, with the reason it comes to."""
    reported = as_source_error(error)
    # A plug-in's own error may hold anything; what is no duration would fail every decision.
    reported.detail = str(error.detail)
    reported.wait = error.wait if isinstance(error.wait, timedelta) else None
    reported.reason = decide_reason(error.reason, reported.detail, status=error.status)
    return reported
