"""The status on terminals of any width: nothing wraps, so that it can be drawn over itself."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from clawfeed.app.settings.config_loading import load_config
from clawfeed.cli.status.live_status import LiveStatus
from clawfeed.cli.status.table import StatusFilter, chosen, render
from clawfeed.cli.terminal.width import cut, fit
from clawfeed.domain.because import Because, Rule
from clawfeed.domain.ids import SourceId
from clawfeed.domain.sources.source import Source
from clawfeed.domain.sources.source_status import Status
from clawfeed.rendering.text_width import cells
from clawfeed.storage.database import Database
from clawfeed.storage.operations.collector_status import CollectorStatus, Reads, SourceStatus, Stats
from clawfeed.storage.polling.collector_heartbeats import Heartbeat
from clawfeed.storage.sources.last_error import LastError
from clawfeed.storage.sources.source_status import SourceState
from tests.support.clocks import NOON
from tests.support.items import add_item, add_source
from tests.support.terminals import width_of, without_colours

CHINESE = "远山科技日报：新一代芯片的能耗只有上一代的三分之一，研究人员说这只是开始" * 4
WIDTHS = (60, 80, 120)


def source_status(number: int, name: str, *, items: int = 7) -> SourceStatus:
    state = SourceState(
        source=Source(id=SourceId(number), type="rss", name=name),
        errors=1,
        last_error=LastError(message=f"{CHINESE} answered 500"),
        paused_because=None,
        polled_at=NOON,
        next_poll=NOON + timedelta(minutes=119),
        backoff_until=None,
        because=Because(Rule.BACK_OFF, {"failures": 1}),
    )
    return SourceStatus(
        state=state, status=Status.PAUSED_BY_ERROR, interval_minutes=60, items=items
    )


def collector_status(*sources: SourceStatus, number: int = 123_456) -> CollectorStatus:
    stats = Stats(
        total_sources=number,
        active_sources=number,
        paused_sources=0 if number == 1 else number,
        paused_by_error=0,
        fetches_24h=number,
        errors_24h=number,
        raw_items_24h=number,
        items_24h=number,
        fetches_today=number,
        success_rate=99.9,
    )
    return CollectorStatus(
        sources=list(sources), stats=stats, x_reads=Reads(used=number, limit=10**9)
    )


@pytest.mark.parametrize(
    ("status", "because", "why"),
    [
        (Status.BACKING_OFF, Because(Rule.BACK_OFF, {"failures": 2}),
         "No answer came; backing off after 2 failures in a row"),
        (Status.PAUSED, Because(Rule.PAUSED_PERSON), "paused by hand; resume it to poll again"),
    ],
)  # fmt: skip
def test_why_is_the_reason_and_the_error_only_if_it_matters(
    status: Status, because: Because, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An old error is not why a source that somebody paused has no date."""
    monkeypatch.setenv("COLUMNS", "200")
    state = replace(
        source_status(1, "A").state,
        because=because,
        last_error=LastError(message="No answer came."),
    )
    source = replace(source_status(1, "A"), state=state, status=status)

    lines = render(collector_status(source), NOON)

    assert without_colours(lines[1]).endswith(f"  {why}")


def test_a_source_nobody_polled_yet_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    state = replace(source_status(1, "A").state, because=None, last_error=None)
    source = replace(source_status(1, "A"), state=state, status=Status.NEVER_FETCHED)

    lines = render(collector_status(source), NOON)

    assert without_colours(lines[1]).endswith("  never polled before")


@pytest.mark.parametrize("columns", WIDTHS)
def test_no_line_of_the_status_is_wider_than_the_terminal(
    columns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    names = ["Short", CHINESE, "A name of many Latin letters, far beyond its column", "⚠️ 警告⚠️"]
    rows = [source_status(number, name) for number, name in enumerate(names)]

    lines = render(
        collector_status(*rows, source_status(10**6, CHINESE, items=10**7)), NOON + timedelta(1)
    ) + render(collector_status(*rows), NOON)

    assert max(map(width_of, lines)) < columns
    assert "\n" not in "".join(lines)
    assert sum("远山科技" in line for line in lines) >= 2


@pytest.mark.parametrize("columns", WIDTHS)
async def test_no_line_of_the_live_status_is_wider_than_the_terminal(
    columns: int,
    database: Database,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    source = await add_source(database, "keji-ribao")
    await add_item(database, source, CHINESE)
    await add_item(database, source, "A\x1b[2Jheadline\nof two lines " + "and more " * 30)

    await LiveStatus(load_config({}, directory=tmp_path), database).show()

    shown = capsys.readouterr().out
    assert "keji-ribao: 远山科技日报" in shown
    assert "\x1b[2J" not in shown
    assert max(map(width_of, shown.splitlines())) < columns


def test_wide_terminals_show_the_reason_and_narrow_ones_the_name(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    status = collector_status(source_status(1, "Notes from the Lab"))

    shown = {}
    for columns in WIDTHS:
        monkeypatch.setenv("COLUMNS", str(columns))
        shown[columns] = "\n".join(render(status, NOON))

    assert "why" not in shown[60]
    assert "Notes from the Lab" in shown[60]
    assert "远山科技" in shown[80]
    assert "in 119 min" in shown[60]


def test_one_of_a_thing_is_not_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "120")

    lines = render(collector_status(source_status(1, "One"), number=1), NOON)

    assert without_colours(lines[-3]) == (
        "1 source · 1 problem (--problems) · 1 poll · 1 new item · 1 error in 24 h · 99.9 % fine"
    )


@pytest.mark.parametrize(
    ("alive", "line"),
    [
        ((False, False), "no collector is alive, the last was seen 3 h ago: `clawfeed run` starts"),
        ((False, True), "1 collector alive, last seen 3 h ago"),
        ((), "no collector is alive: `clawfeed run` starts one"),
    ],
    ids=["gone", "one", "never"],
)
def test_the_last_line_tells_whether_somebody_collects(
    alive: tuple[bool, ...], line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """(S000-22) Every date in the table is in vain if nobody does."""
    monkeypatch.setenv("COLUMNS", "80")
    heartbeats = tuple(
        Heartbeat(
            worker=str(number),
            started_at=NOON,
            seen_at=NOON - timedelta(hours=3),
            is_alive=each,
        )
        for number, each in enumerate(alive)
    )
    status = replace(collector_status(source_status(1, "A")), collectors=heartbeats)

    last = without_colours(render(status, NOON)[-1])

    assert last.startswith(line)
    assert width_of(last) < 80


def test_problems_come_first_and_the_figures_last(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 500 sources the last lines stay on the screen, and the first are read first."""
    monkeypatch.setenv("COLUMNS", "80")
    fine = [_fine(number) for number in range(1, 500)]
    broken = replace(source_status(500, "Broken"), status=Status.BACKING_OFF)
    status = replace(collector_status(*fine, broken), x_reads=None)

    lines = [without_colours(line) for line in render(status, NOON)]
    cut_short = [without_colours(line) for line in render(status, NOON, rows=20)]

    assert lines[1].split()[:2] == ["500", "backing_off"]
    assert lines[2].split()[:2] == ["1", "ok"]
    assert "1 problem (--problems)" in "".join(lines[502:])
    assert len(cut_short) == 20
    assert cut_short[-3:] == lines[-3:]
    assert any(line.startswith("… and ") for line in cut_short)


@pytest.mark.parametrize(
    ("wanted", "ids"),
    [
        (StatusFilter(problems=True), [2]),
        (StatusFilter(due=True), [3]),
        (StatusFilter(type_names=frozenset({"reddit"})), [3]),
        (StatusFilter(), [2, 1, 3]),
    ],
)
def test_filters_leave_what_was_asked_for(wanted: StatusFilter, ids: list[int]) -> None:
    due = _fine(3)
    source = replace(due.state.source, type="reddit")
    due = replace(due, state=replace(due.state, source=source, next_poll=NOON))
    broken = replace(source_status(2, "Broken"), status=Status.BACKING_OFF)

    found = chosen(collector_status(_fine(1), broken, due), wanted, NOON)

    assert [each.state.source.id for each in found] == ids


@pytest.mark.parametrize("rule", [Rule.SOURCE_QUOTA, Rule.PERSON_QUOTA, Rule.NO_FETCHER])
def test_a_source_that_is_full_or_lacks_a_setting_is_a_problem(rule: Rule) -> None:
    """It did not fail, so only its reason tells; a pause that somebody chose is none."""
    full = _fine(1)
    full = replace(full, state=replace(full.state, because=Because(rule)))
    source = replace(full.state.source, is_active=False)
    paused = replace(full, state=replace(full.state, source=source), status=Status.PAUSED)

    found = chosen(collector_status(_fine(2), paused, full), StatusFilter(problems=True), NOON)

    assert found == [full]


def _fine(number: int) -> SourceStatus:
    source = source_status(number, f"Feed {number}")
    state = replace(source.state, errors=0, last_error=None)
    return replace(source, state=state, status=Status.OK)


@pytest.mark.parametrize(
    ("text", "width", "expected"),
    [
        ("abc", 3, "abc"),
        ("abcd", 3, "ab…"),
        ("中文字", 6, "中文字"),
        ("中文字", 5, "中文…"),
        ("中文字", 4, "中…"),
        ("a\u0301b", 2, "a\u0301b"),
        ("ab", 0, ""),
        ("a\tb", 9, "a\\tb"),
    ],
)
def test_texts_are_cut_by_cells(text: str, width: int, expected: str) -> None:
    assert cut(text, width) == expected
    assert cells(fit(text, width)) == width
