"""A backtest on several cores: the same figures, and nobody left behind."""

from __future__ import annotations

import gzip
import json
import os
import signal
import time
from pathlib import Path

import pytest

from clawfeed.cli.backtest.runner import BacktestRunner
from clawfeed.cli.backtest.traces import read_traces
from clawfeed.cli.backtest.worker_pool import FEWEST_TRACES, InProcess, ProcessPool, open_workers
from clawfeed.domain.backtest.backtest import Trace
from clawfeed.domain.errors import ClawFeedError
from clawfeed.domain.forecast.forecast import Forecast
from clawfeed.domain.forecast.forecast_memory import DEFAULT_BETA
from tests.support.processes import run_clawfeed, running_clawfeed, wait_until

DAY, MONDAY = 86400, 1_772_409_600
SOURCES = FEWEST_TRACES + 3


def write_traces(path: Path, *, days: int) -> Path:
    """Sources from an item a quarter of an hour to one in four hours, a third at odd seconds."""
    rows = [
        {
            "id": f"source-{place}",
            "start": MONDAY - 30 * DAY,
            "eval": [MONDAY, MONDAY + days * DAY],
            "t0": MONDAY - 30 * DAY + 0.1 * place,
            "dt": [900.7 * (place + 1)] * int((29 + days) * DAY / 900.7 / (place + 1)),
        }
        for place in range(SOURCES)
    ]
    with gzip.open(path, "wt") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)
    return path


@pytest.fixture
def traces(tmp_path: Path) -> Path:
    return write_traces(tmp_path / "traces.jsonl.gz", days=3)


def where(_trace: Trace, _known: Forecast | None) -> int:
    return os.getpid()


def die(_trace: Trace, _known: Forecast | None) -> None:
    os._exit(9)


def doze(_trace: Trace, _known: Forecast | None) -> None:
    time.sleep(20)


def living(session: int) -> list[str]:
    """The processes of a session that have not ended."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _parent, _group, its_session = stat.read_text().rpartition(")")[2].split()[:4]
        except OSError:
            continue
        if int(its_session) == session and state != "Z":
            found.append(stat.parent.name)
    return found


def test_one_and_two_workers_find_the_same_to_the_last_bit(traces: Path, tmp_path: Path) -> None:
    rules = ("--policy", "forecast", "--policy", "cadence")
    words = ("backtest", "--traces", str(traces), "--json", *rules, "--workers")

    alone, both = (run_clawfeed(*words, number, cwd=tmp_path) for number in "12")

    assert (alone.returncode, both.returncode) == (0, 0), alone.stderr + both.stderr
    assert json.loads(alone.stdout)["results"][0]["sources"] == SOURCES
    assert both.stdout == alone.stdout


def test_workers_are_other_processes_and_few_sources_stay_here(traces: Path) -> None:
    fleet = read_traces(traces)
    places = range(len(fleet))

    with open_workers(fleet, 2) as two, open_workers(fleet, 1) as one:
        elsewhere = set(two.each(where, places, [None] * len(fleet)))
        here = set(one.each(where, places, [None] * len(fleet)))
    with open_workers(fleet[: FEWEST_TRACES - 1], 2) as few:
        pass

    assert isinstance(two, ProcessPool)
    assert os.getpid() not in elsewhere
    assert here == {os.getpid()}
    assert isinstance(few, InProcess)


def test_progress_counts_every_source_in_turn(traces: Path) -> None:
    fleet, told = read_traces(traces), list[tuple[str, int, int]]()

    with open_workers(fleet, 2) as pool:
        bench = BacktestRunner(
            pool=pool, traces=fleet, beta=DEFAULT_BETA, tell=lambda *step: told.append(step)
        )
        bench.run("fixed-60", None, None)

    assert told == [("fixed-60", done, SOURCES) for done in range(1, SOURCES + 1)]


def test_a_worker_that_dies_is_one_sentence(traces: Path) -> None:
    fleet = read_traces(traces)

    with pytest.raises(ClawFeedError, match="ended from outside"), open_workers(fleet, 2) as pool:
        list(pool.each(die, [0], [None]))


def interrupt_dozing(fleet: list[Trace]) -> None:
    with open_workers(fleet, 2) as pool:
        pool.each(doze, [0, 1, 2], [None] * 3)
        time.sleep(2)  # a worker is at it, for a minute
        raise KeyboardInterrupt


def test_ctrl_c_does_not_wait_for_what_workers_are_at(traces: Path) -> None:
    started = time.monotonic()

    with pytest.raises(KeyboardInterrupt):
        interrupt_dozing(read_traces(traces))

    assert time.monotonic() - started < 30


@pytest.mark.parametrize("is_terminal", [True, False], ids=["to all", "to the first"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_signal_ends_all_processes_and_ctrl_c_without_a_traceback(
    number: signal.Signals, is_terminal: bool, tmp_path: Path
) -> None:
    """A terminal's Ctrl-C reaches every process, `kill` only the first."""
    path = write_traces(tmp_path / "long.jsonl.gz", days=3000)
    words = ("backtest", "--traces", str(path), "--workers", "2")

    with running_clawfeed(*words, cwd=tmp_path) as running:
        session = running.process.pid
        wait_until(lambda: len(living(session)) == 5)  # two of them are Python's own servers
        (os.killpg if is_terminal else os.kill)(session, number)
        code = running.process.wait(90)
        try:
            wait_until(lambda: not living(session), timeout=90)
        finally:
            for pid in living(session):
                os.kill(int(pid), signal.SIGKILL)

    assert code == (130 if number == signal.SIGINT else -number)
    assert number != signal.SIGINT or "Traceback" not in running.stderr
