"""`clawfeed backtest`: what a rule for polling would have cost, and how late it would have been."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from clawfeed.cli.backtest.progress import BacktestProgress, is_watched
from clawfeed.cli.backtest.report import Report, as_json_text, as_table
from clawfeed.cli.backtest.runner import BacktestRunner
from clawfeed.cli.backtest.traces import Circumstances, choose, read_traces, under
from clawfeed.cli.backtest.worker_pool import open_workers, usable_cores
from clawfeed.cli.terminal import options
from clawfeed.cli.terminal.number_arguments import WholeNumber
from clawfeed.domain.backtest.backtest import WINDOW, Trace
from clawfeed.domain.backtest.polling_rules import DEFAULT_POLLS, POLICIES
from clawfeed.domain.errors import ConfigError
from clawfeed.domain.forecast.forecast_memory import DEFAULT_BETA


def _pinned_categories(
    _context: click.Context, _option: click.Parameter, texts: Sequence[str]
) -> Mapping[str, float]:
    """`forum=60` as minutes by category."""
    pinned: dict[str, float] = {}
    for text in texts:
        category, _, minutes = text.partition("=")
        if not category or not minutes.isdecimal() or int(minutes[:9]) < 1:
            raise click.BadParameter(f"{text!r} is not CAT=MINUTES, as in forum=60")
        pinned[category] = float(minutes[:9])
    return pinned


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
    metavar="RULE",
    help=f"A rule to replay; again for more. All if left out: {', '.join(POLICIES)}.",
)
@click.option(
    "--polls-per-day",
    type=click.FloatRange(min=0.1, max=288),
    help=f"Find the forecast's price for so many polls a day and source.  [{DEFAULT_POLLS:g}]",
)
@click.option(
    "--price",
    type=click.FloatRange(min=0.001),
    help="Item-seconds of delay one poll is worth, instead of --polls-per-day.",
)
@click.option(
    "--beta",
    type=click.FloatRange(0, 1),
    default=round(DEFAULT_BETA, 3),
    show_default=True,
    help="How much quiet sources count: 0 items alone, 1 sources alone.",
)
@click.option(
    "--window",
    type=click.IntRange(min=1),
    default=WINDOW,
    show_default=True,
    help="How many items a document holds; what falls out unseen is lost.",
)
@click.option(
    "--cold-start",
    is_flag=True,
    help="Sources were just added: only what their documents hold is known; two weeks count.",
)
@click.option(
    "--hints",
    is_flag=True,
    help="Obey what feeds ask for between polls; traces that do not tell ask as most feeds do.",
)
@click.option(
    "--pinned",
    "pinned",
    metavar="CAT=MINUTES",
    multiple=True,
    callback=_pinned_categories,
    help="A category of the traces that has its own interval: told apart. Again for more.",
)
@click.option("--sample", type=click.IntRange(min=1), help="Only so many sources, spread evenly.")
@click.option(
    "--workers",
    type=WholeNumber(1, 64),
    help="Processes that share the sources; figures stay the same.  [one per core]",
)
@options.json_object
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
    window: int,
    cold_start: bool,
    hints: bool,
    pinned: Mapping[str, float],
    sample: int | None,
    workers: int | None,
    as_json: bool,
    plot: Path | None,
) -> None:
    """Replay what sources published under rules for polling: how many polls, how much delay.

    Without --traces, on the history in the database. The forecast is compared with the fixed
    interval, the contract's cadence and other readers' rules. Nothing is fetched or stored.
    Sources with an interval of their own are told apart: no policy may choose another for them.

    \b
    Example:
      clawfeed backtest --policy forecast --policy cadence
      clawfeed backtest --traces all.jsonl.gz --sample 50
      clawfeed backtest --traces all.jsonl.gz --hints --cold-start
      clawfeed backtest --traces all.jsonl.gz --policy miniflux --json
      clawfeed backtest --traces all.jsonl.gz --polls-per-day 12 --plot polls.svg
    """
    from clawfeed.cli.backtest.picture_formats import choose_renderer, write_picture
    from clawfeed.cli.backtest.plot import lay_out

    if price is not None and polls_per_day is not None:
        raise click.UsageError("give --price or --polls-per-day, not both")
    render = choose_renderer(plot) if plot else None
    found, runs_here = (read_traces(traces, pinned), _policy()) if traces else _stored()
    circumstances = Circumstances(window=window, is_cold=cold_start, has_hints=hints)
    target = None if price is not None else polls_per_day or DEFAULT_POLLS
    progress = BacktestProgress(is_shown=not as_json and is_watched())
    chosen = under(choose(found, sample), circumstances)
    with open_workers(chosen, workers or usable_cores()) as pool:
        bench = BacktestRunner(pool=pool, traces=chosen, beta=beta, window=window, tell=progress)
        results = [bench.run(name, price, target) for name in policies or POLICIES]
        apart = bench.pinned()
        drawn = [(one.policy, bench.curve(one)) for one in results] if plot else []
    progress.clear()
    report = Report(
        results=results,
        pinned=apart,
        beta=beta,
        circumstances=circumstances,
        runs_here=runs_here,
    )
    click.echo(as_json_text(report) if as_json else as_table(report))
    if plot and render:
        write_picture(plot, render(lay_out(drawn)))


def _stored() -> tuple[list[Trace], str]:
    """The history in the database, and the policy that runs on it."""
    from clawfeed.app.backtest_history import stored_traces
    from clawfeed.app.processes.event_loop import run_async
    from clawfeed.cli.startup import load_settings

    config = load_settings()
    return run_async(stored_traces(config)), config.collector.scheduler_policy


def _policy() -> str | None:
    """The policy of this installation; a file of traces can be replayed without any."""
    from clawfeed.app.settings.config_loading import load_config

    try:
        return load_config(os.environ, directory=Path.cwd()).collector.scheduler_policy
    except ConfigError:
        return None
