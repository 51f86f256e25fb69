"""What the overview tells, put into the reader's words, times and links."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Final

from markupsafe import Markup

from clawfeed.domain.alarm import AlarmCode, Trouble
from clawfeed.domain.wording.alarm_wording import alarm_words
from clawfeed.rendering.dates import period_worded
from clawfeed.rendering.safe_text import one_line
from clawfeed.storage.operations.collector_activity import FailedSource, FailureKind, TroubledSource
from clawfeed.storage.operations.overview import HouseOverview
from clawfeed.storage.operations.recent_editions import EditionLine
from clawfeed.storage.polling.collector_heartbeats import Heartbeat
from clawfeed.web.frame.page_rendering import PageView
from clawfeed.web.operations.alarm_links import on_the_overview
from clawfeed.web.operations.charts import cadence_chart, lag_chart
from clawfeed.web.operations.edition_failures import failure_line
from clawfeed.web.operations.editions import KINDS
from clawfeed.web.operations.overview_context import Allowances

MOST_COLLECTORS: Final = 12
_UNITS: Final = (
    ("operations.days", timedelta(days=1), timedelta(hours=48)),
    ("operations.hours", timedelta(hours=1), timedelta(minutes=120)),
    ("operations.minutes", timedelta(minutes=1), timedelta(seconds=120)),
    ("operations.seconds", timedelta(seconds=1), timedelta(seconds=10)),
)


def overview_values(
    page: PageView,
    overview: HouseOverview | None,
    allowances: Allowances,
    outage: Trouble | None,
) -> dict[str, object]:
    """Everything for the templates in `operations/live`; without an overview only the verdict."""
    if overview is None:
        return {"troubles": [_trouble(page, outage)] if outage else [], "is_read": False}
    found = [*([outage] if outage else []), *overview.troubles]
    return {
        "is_read": True,
        "house": overview,
        "troubles": [_trouble(page, each) for each in found],
        "time": f"{overview.at.astimezone(page.zone):%H:%M:%S}",
        "span": lambda lag: span(page, lag),
        "collectors": [_collector(each, overview) for each in _shown(overview.liveness.collectors)],
        "more_collectors": max(0, len(overview.liveness.collectors) - MOST_COLLECTORS),
        "failures": [_kind(page, each) for each in overview.failures],
        "failed": [_failed(page, each) for each in overview.failed],
        "cadences": cadence_chart(overview.cadences),
        "lags": lag_chart(overview.hours),
        "cooling": [(one_line(host), page.when(until)) for host, until in overview.cooling.first],
        "allowed": allowances,
        "editions": [_edition(page, each, allowances) for each in overview.editions.system],
        "alarms": [
            (each.raised_at, alarm_words(each.trouble, page.language).text)
            for each in overview.alarms
        ],
    }


def span(page: PageView, lag: timedelta) -> Markup:
    """How long, in the unit people would use: `0.4 s`, `12 s`, `3 min`, `5 h`, `2 days`."""
    for key, unit, least in _UNITS:
        if lag >= least:
            return page.say(key, n=round(lag / unit))
    return page.say("operations.seconds", n=f"{lag.total_seconds():.1f}".removesuffix(".0"))


def _trouble(page: PageView, trouble: Trouble) -> dict[str, object]:
    words = alarm_words(trouble, page.language)
    return {
        "text": one_line(words.text),
        # Commands stand in backticks: every second piece is one.
        "way_out": [
            (piece, bool(number % 2)) for number, piece in enumerate(words.way_out.split("`"))
        ],
        "links": _ways_on(page, trouble),
    }


def _ways_on(page: PageView, trouble: Trouble) -> list[tuple[str, str]]:
    """Address and name of where to go on: the sources it is about, or the page for such things."""
    if trouble.code in {AlarmCode.SOURCE_PAUSED, AlarmCode.SOURCE_STALE}:
        # A private one has no page for others; who rings is resumed where it rings.
        return [
            (f"/sources/{each['source']}", one_line(str(each["name"])) or str(each["source"]))
            if "name" in each
            else ("/operations/alarms", page.say("operations.private", id=each["source"]))
            for each in trouble.some
            if "source" in each
        ]
    place = on_the_overview(trouble.code)
    return [(place, page.say("operations.look"))] if place else []


def _shown(heartbeats: Sequence[Heartbeat]) -> list[Heartbeat]:
    return sorted(heartbeats, key=lambda heartbeat: not heartbeat.is_alive)[:MOST_COLLECTORS]


def _collector(heartbeat: Heartbeat, overview: HouseOverview) -> dict[str, object]:
    return {
        "name": one_line(heartbeat.worker),
        "is_alive": heartbeat.is_alive,
        "seen_at": heartbeat.seen_at,
        "started_at": heartbeat.started_at,
        "in_flight": overview.in_flight.get(heartbeat.worker, 0),
    }


def _source(page: PageView, source: TroubledSource) -> dict[str, object]:
    """A private source is known here by its number alone, and there is no page of it to open."""
    if source.name is None:
        return {"name": page.say("operations.private", id=source.id), "link": ""}
    name = one_line(source.name) or str(source.id)
    return {"name": name, "link": f"/sources/{source.id}"}


def _kind(page: PageView, kind: FailureKind) -> dict[str, object]:
    return {
        "cause": f"cause.{kind.reason}" if kind.reason else "operations.cause_unknown",
        "failures": kind.failures,
        "sources": kind.sources,
        "worst": [
            {**_source(page, each), "failures": each.failures, "key": f"{kind.reason}-{each.id}"}
            for each in kind.worst
        ],
        "more": kind.sources - len(kind.worst),
    }


def _failed(page: PageView, failed: FailedSource) -> dict[str, object]:
    return {
        **_source(page, failed.source),
        "key": f"failed-{failed.source.id}",
        "at": failed.at,
        "first_at": failed.first_at,
        "times": failed.source.failures,
        "cause": f"cause.{failed.reason}" if failed.reason else "operations.cause_unknown",
        "detail": one_line(failed.detail),
        "is_over": failed.is_over,
    }


def _edition(page: PageView, line: EditionLine, allowances: Allowances) -> dict[str, object]:
    left = line.left(allowances.edition_interval)
    return {
        "name": period_worded(line.type, line.period, page.language),
        "state": f"edition_state.{line.state}",
        "kind": KINDS.get(line.state, "warn" if line.failure else ""),
        "line": line,
        "planned": line.plan(allowances.edition_interval).batches,
        "left": -(-left // timedelta(minutes=1)),
        "failure": failure_line(line.failure),
    }
