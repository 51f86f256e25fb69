"""`clawfeed status`."""

from __future__ import annotations

from datetime import datetime

import click

from clawfeed.app.config import Config
from clawfeed.cli.settings import load_settings
from clawfeed.storage.status import CollectorStatus, SourceStatus


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead.")
def status(*, as_json: bool) -> None:
    r"""Show how every source is doing, when it is looked at next, and why then.

    \b
    Example:
      clawfeed status
      clawfeed status --json | jq '.stats'
    """
    from clawfeed.app.clock import system_clock
    from clawfeed.app.running import run_async
    from clawfeed.cli.screen import render

    now = system_clock()
    found = run_async(_read(load_settings(), now))
    if as_json:
        import json

        click.echo(json.dumps(as_dict(found), ensure_ascii=False, indent=2))
    else:
        click.echo("\n".join(render(found, now)))


async def _read(config: Config, now: datetime) -> CollectorStatus:
    from clawfeed.app.status import current_status
    from clawfeed.app.wiring import opened_database

    async with opened_database(config) as database:
        return await current_status(config, database, now=now)


def as_dict(found: CollectorStatus) -> dict[str, object]:
    """The shape of `GET /api/collector/status` (S000-18, S000-19)."""
    stats = found.stats
    return {
        "sources": [_source(line) for line in found.sources],
        "stats": {name: getattr(stats, name) for name in stats.__slots__},
    }


def _source(line: SourceStatus) -> dict[str, object]:
    source = line.source
    return {
        "id": source.id,
        "name": source.name,
        "type": source.type,
        "interval_minutes": line.interval_minutes,
        "last_fetched_at": _iso(source.last_fetched_at),
        "next_fetch_at": _iso(line.next_fetch_at),
        "fetch_count": line.fetch_count,
        "fetch_error_count": line.fetch_error_count,
        "last_error": line.last_error,
        "status": line.status,
        "schedule_mode": line.schedule_mode,
        "cadence": line.cadence,
        "because": line.because,
    }


def _iso(at: datetime | None) -> str | None:
    return at.isoformat(timespec="seconds").replace("+00:00", "Z") if at else None
