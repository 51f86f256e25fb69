"""Sources as lines, tables and JSON; nothing printed here holds a secret or steers a terminal."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import click

from clawfeed.app.logging_setup import one_line
from clawfeed.cli.terminal_width import cells, fit
from clawfeed.domain.ids import JsonValue
from clawfeed.domain.source_secrets import mask_config, mask_url
from clawfeed.domain.source_type import KnownTypes, TypeFacts

# What a column that must give way is cut to at most.
NARROWEST = 12


def print_json(value: object) -> None:
    click.echo(json.dumps(value, ensure_ascii=False, indent=2))


def warn(sentence: str) -> None:
    click.echo(f"warning: {one_line(sentence)}", err=True)


def label(
    types: KnownTypes[TypeFacts], source_type: str, name: str, config: Mapping[str, JsonValue]
) -> str:
    """`rss "Example" https://…`: a source in one line."""
    place = where(types.facts(source_type), config)
    return f'{source_type} "{one_line(name)}" {one_line(place)}'.rstrip()


def where(facts: TypeFacts, config: Mapping[str, JsonValue]) -> str:
    """Where a source polls: its address or name, else its whole config; secrets masked."""
    value = config.get(facts.main_key or "")
    if isinstance(value, str) and value:
        return mask_url(value)
    return json.dumps(mask_config(config), ensure_ascii=False) if config else ""


def iso(moment: datetime | None) -> str | None:
    """A moment for programs: UTC, with a Z."""
    if moment is None:
        return None
    return moment.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def local(moment: datetime, timezone: str) -> str:
    """A moment for people, in the operator's time zone."""
    return f"{moment.astimezone(ZoneInfo(timezone)):%Y-%m-%d %H:%M}"


def table(head: Sequence[str], rows: Iterable[Sequence[str]], *, shrink: Sequence[str]) -> str:
    """Aligned columns. On a terminal the columns named in *shrink* give way, in that order."""
    lines = [list(head), *([one_line(text) for text in row] for row in rows)]
    widths = [max(map(cells, column)) for column in zip(*lines, strict=True)]
    if sys.stdout.isatty():
        available = shutil.get_terminal_size().columns
        for name in shrink:
            surplus = sum(widths) + 2 * (len(widths) - 1) - available
            place = head.index(name)
            widths[place] -= min(max(surplus, 0), max(widths[place] - NARROWEST, 0))
    return "\n".join("  ".join(map(fit, line, widths)).rstrip() for line in lines)
