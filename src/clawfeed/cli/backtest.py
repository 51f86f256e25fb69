"""`clawfeed backtest`: what a rule for polling would have cost, and how late it would have been."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, replace
from functools import partial
from itertools import accumulate
from pathlib import Path

import click

from clawfeed.domain.backtest import (
    POLICIES,
    USUAL_POLLS,
    WINDOW,
    Figures,
    Replay,
    RuleChoice,
    Trace,
    calibrate,
    die_of,
    replay,
    summarise,
)
from clawfeed.domain.errors import InvalidInputError
from clawfeed.domain.forecast_schedule import USUAL_BETA, USUAL_PRICE

# The forecast's curve: the price times these, four times the price being half the polls.
CURVE_PRICES = (1 / 4, 1.0, 4.0, 16.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """One line of the table."""

    policy: str
    price: float | None
    figures: Figures


@click.command()
@click.option(
    "--traces",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Publish times, one JSON object per line, gzipped; else what this database has seen.",
)
@click.option(
    "--policy",
    "policies",
    type=click.Choice(list(POLICIES)),
    multiple=True,
    help="A rule to replay; again for more. All of them if left out.",
)
@click.option(
    "--polls-per-day",
    type=click.FloatRange(min=0.1, max=288),
    help=f"Find the forecast's price for so many polls a day and source.  [{USUAL_POLLS:g}]",
)
@click.option(
    "--price",
    type=click.FloatRange(min=0.001),
    help="Item-seconds of delay one poll is worth, instead of --polls-per-day.",
)
@click.option(
    "--beta",
    type=click.FloatRange(0, 1),
    default=round(USUAL_BETA, 3),
    show_default=True,
    help="How much quiet sources count: 0 items alone, 1 sources alone.",
)
@click.option("--sample", type=click.IntRange(min=1), help="Only so many sources, spread evenly.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead.")
@click.option(
    "--plot",
    type=click.Path(dir_okay=False, writable=True, path_type=Path),
    help="Also draw delay against polls into this .svg or .png file.",
)
def backtest(
    *,
    traces: Path | None,
    policies: Sequence[str],
    polls_per_day: float | None,
    price: float | None,
    beta: float,
    sample: int | None,
    as_json: bool,
    plot: Path | None,
) -> None:
    """Replay what sources published under rules for polling: how many polls, how much delay.

    Without --traces, on the history in the database. The forecast is compared with the fixed
    interval, the contract's cadence and other readers' rules. Nothing is fetched or stored.

    \b
    Example:
      clawfeed backtest --policy forecast --policy cadence
      clawfeed backtest --traces public.jsonl.gz --sample 50
      clawfeed backtest --traces public.jsonl.gz --policy forecast --policy miniflux --json
      clawfeed backtest --traces public.jsonl.gz --polls-per-day 12 --plot polls.svg
    """
    from clawfeed.cli.backtest_plot import lay_out
    from clawfeed.cli.backtest_renderers import choose_renderer

    if price is not None and polls_per_day is not None:
        raise click.UsageError("give --price or --polls-per-day, not both")
    render = choose_renderer(plot) if plot else None
    chosen = choose(read_traces(traces) if traces else _stored(), sample)
    target = None if price is not None else polls_per_day or USUAL_POLLS
    with ProcessPoolExecutor() as pool:
        bench = BacktestRunner(pool=pool, traces=chosen, beta=beta)
        results = [bench.run(name, price, target) for name in policies or POLICIES]
        drawn = [(one.policy, bench.curve(one)) for one in results] if plot else []
    click.echo(_as_json(results, beta) if as_json else _as_table(results))
    if plot and render:
        plot.write_bytes(render(lay_out(drawn)))


def _stored() -> list[Trace]:
    from clawfeed.app.backtest_history import stored_traces
    from clawfeed.app.event_loop import run_async
    from clawfeed.cli.startup import load_settings

    return run_async(stored_traces(load_settings()))


def read_traces(path: Path) -> list[Trace]:
    """The traces of a gzipped file; `InvalidInputError` names the line that cannot be read."""
    found: list[Trace] = []
    try:
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for number, line in enumerate(lines, start=1):
                found.append(_trace(line, number, path))
    except (OSError, EOFError, UnicodeDecodeError, zlib.error) as error:
        raise InvalidInputError(f"{path} is not a gzipped text: {error}") from error
    if not found:
        raise InvalidInputError(f"{path} holds no traces")
    return found


def _trace(line: str, number: int, path: Path) -> Trace:
    try:
        row = json.loads(line)
        eval_from, eval_to = row["eval"]
        times = [float(time) for time in accumulate([row["t0"], *row["dt"]])]
        return Trace(
            name=str(row["id"]),
            start=float(row["start"]),
            eval_from=float(eval_from),
            eval_to=float(eval_to),
            times=times,
        )
    except (KeyError, TypeError, ValueError) as error:
        raise InvalidInputError(f"line {number} of {path} is not a trace: {error!r}") from error


def choose(traces: Iterable[Trace], sample: int | None) -> list[Trace]:
    """*sample* of the traces, the same ones every time and in no order of their names."""
    shuffled = sorted(traces, key=lambda trace: (die_of(trace.name, -1), trace.name))
    return shuffled[:sample]


@dataclass(frozen=True, slots=True, kw_only=True)
class BacktestRunner:
    """The traces and the processes that replay them side by side."""

    pool: ProcessPoolExecutor
    traces: Sequence[Trace]
    beta: float

    def run(self, name: str, price: float | None, target: float | None) -> Result:
        """The figures of one rule; the forecast's price is found for *target* polls a day."""
        choice = RuleChoice(name=name, beta=self.beta)
        if name != "forecast":
            return Result(policy=name, price=None, figures=self.figures(choice))
        if price is None and target is not None:
            first = USUAL_PRICE * (USUAL_POLLS / target) ** 2
            price, figures = calibrate(self._at(choice), target=target, price=first)
            return Result(policy=name, price=price, figures=figures)
        choice = replace(choice, price=price or USUAL_PRICE)
        return Result(policy=name, price=choice.price, figures=self.figures(choice))

    def _at(self, choice: RuleChoice) -> _Runs:
        return _Runs(bench=self, choice=choice)

    def figures(self, choice: RuleChoice) -> Figures:
        work = partial(_replay, choice)
        return summarise(list(self.pool.map(work, self.traces, chunksize=4)))

    def curve(self, result: Result) -> list[tuple[float, float]]:
        """Polls a day against mean minutes: a curve where the rule has a knob, else a point."""
        if result.price is None:
            return [(result.figures.polls_per_day, result.figures.mean)]
        choice = RuleChoice(name=result.policy, beta=self.beta)
        prices = [result.price * factor for factor in CURVE_PRICES]
        found = [self.figures(replace(choice, price=price)) for price in prices]
        return [(figures.polls_per_day, figures.mean) for figures in found]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Runs:
    bench: BacktestRunner
    choice: RuleChoice

    def __call__(self, price: float) -> Figures:
        return self.bench.figures(replace(self.choice, price=price))


def _replay(choice: RuleChoice, trace: Trace) -> Replay:
    return replay(trace, choice.follower(), window=WINDOW)


def _as_json(results: Sequence[Result], beta: float) -> str:
    rows = [{"policy": one.policy, "price": one.price, **asdict(one.figures)} for one in results]
    return json.dumps({"beta": beta, "window": WINDOW, "results": rows}, indent=2)


def _as_table(results: Sequence[Result]) -> str:
    figures = results[0].figures
    head = (
        f"{'policy':<12}{'polls/day':>10}{'mean':>8}{'median':>8}{'p90':>8}{'p99':>8}"
        f"{'/source':>9}{'hits':>7}{'lost':>8}"
    )
    lines = [f"{figures.sources} sources, {figures.items} items; delays in minutes", "", head]
    for one in results:
        f = one.figures
        lines.append(
            f"{one.policy:<12}{f.polls_per_day:>10.1f}{f.mean:>8.1f}{f.median:>8.1f}{f.p90:>8.1f}"
            f"{f.p99:>8.1f}{f.per_source:>9.1f}{f.hit_rate:>7.0%}{f.lost_share:>8.2%}"
        )
    lines += [f"\nprice of a poll: {one.price:.1f} item-seconds" for one in results if one.price]
    return "\n".join(lines)
