"""`clawfeed cron`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from clawfeed.app.settings.config import Config
from clawfeed.cli.startup import load_settings
from clawfeed.cli.terminal import options

if TYPE_CHECKING:
    from clawfeed.cli.timer_units import Installation
    from clawfeed.digest.driver.driver import StepReport


@click.command()
@click.option("--loop", is_flag=True, help="Go on until stopped, one trigger after another.")
@click.option(
    "--print",
    "timer",
    type=click.Choice(["crontab", "systemd"]),
    help="Print a timer for this installation instead; change nothing.",
)
@options.json_object
def cron(*, loop: bool, timer: str | None, as_json: bool) -> None:
    """Bring the editions on: one trigger, then the end.

    The system's editions go one step, readers' whose time has come go all the way. `clawfeed run`
    does it by itself, every CRON_INTERVAL_MINUTES. Exit code 1 if it failed; the next one tries
    again.

    \b
    Example:
      clawfeed cron
      clawfeed cron --print crontab
      clawfeed cron --loop
    """
    if timer and (loop or as_json):
        raise click.UsageError("--print only prints: leave out --loop and --json")
    if loop and as_json:
        raise click.UsageError("--json tells of one trigger: leave out --loop")
    config = load_settings()
    if timer:
        _print_timer(config, timer)
        return
    from clawfeed.app.processes.event_loop import run_async

    sys.exit(run_async(_loop(config) if loop else _once(config, as_json=as_json)))


def _print_timer(config: Config, timer: str) -> None:
    from clawfeed.cli.timer_units import crontab, systemd

    here = _installation(config)
    click.echo(crontab(here) if timer == "crontab" else systemd(here), nl=False)


def _installation(config: Config) -> Installation:
    from getpass import getuser
    from pathlib import Path

    from clawfeed.cli.timer_units import Installation, running_command, unseen_settings

    return Installation(
        command=running_command(sys.argv[0], sys.executable),
        directory=Path.cwd(),
        every=config.editions.interval,
        user=getuser(),
        unseen=unseen_settings(list(config.origin.items())),
    )


async def _loop(config: Config) -> int:
    from clawfeed.app.processes.worker_group import Service
    from clawfeed.app.wiring.entry_points import opened_edition_workers

    async with opened_edition_workers(config) as workers:
        return await Service(workers).run()


async def _once(config: Config, *, as_json: bool) -> int:
    from clawfeed.app.processes.worker_group import Service
    from clawfeed.app.single_trigger import TriggerOnce
    from clawfeed.app.wiring.entry_points import opened_triggers

    async with opened_triggers(config) as trigger:
        once = TriggerOnce(trigger)
        code = await Service([once]).run()
    if once.reports is None:
        return code or 1
    _tell(once.reports, as_json=as_json)
    return code or int(any(report.error for report in once.reports))


def _tell(reports: Sequence[StepReport], *, as_json: bool) -> None:
    from clawfeed.digest.driver.trigger_log import NOTHING_TO_DO, report_as_json

    steps = [report_as_json(report) for report in reports]
    if as_json:
        from clawfeed.cli.terminal.printing import print_json

        print_json({"steps": steps})
        return
    click.echo("\n".join(_edition_lines(steps)) or NOTHING_TO_DO.replace("_", " "))


def _edition_lines(steps: Sequence[dict[str, str]]) -> list[str]:
    """One line for each edition, however many steps it went; readers' run side by side."""
    by_edition: dict[tuple[str, str, str], list[dict[str, str]]] = {}
    for step in steps:
        by_edition.setdefault((step["type"], step["date"], step["scope"]), []).append(step)
    return [
        f"{kind} {date}{_whose(scope)}: {_done(made)}"
        for (kind, date, scope), made in by_edition.items()
    ]


def _whose(scope: str) -> str:
    from clawfeed.domain.editions.edition import SYSTEM_SCOPE

    return "" if scope == SYSTEM_SCOPE else f" of {scope}"


def _done(steps: Sequence[dict[str, str]]) -> str:
    first, last = steps[0], steps[-1]
    action = last.get("error") or last["action"].replace("_", " ")
    if len(steps) > 1:
        action = f"{len(steps)} steps to {action}"
    moved = first["state"] != last["next_state"]
    return f"{action}, {first['state']} → {last['next_state']}" if moved else action
