"""Sources as lines, tables and JSON; nothing printed here holds a secret or steers a terminal."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

import click

from clawfeed.app.processes.logging_setup import one_line
from clawfeed.cli.terminal.width import fit, folded
from clawfeed.domain.ids import JsonValue
from clawfeed.domain.sources.source_secrets import mask_config, mask_url
from clawfeed.domain.sources.type_facts import KnownTypes, TypeFacts
from clawfeed.rendering.text_width import cells

# What a column that must give way is cut to at most.
NARROWEST = 12


def print_json(value: object) -> None:
    click.echo(json.dumps(value, ensure_ascii=False, indent=2))


def warn(sentence: str) -> None:
    click.echo(folded(f"warning: {one_line(sentence)}", err=True), err=True)


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


def local(moment: datetime, timezone: str) -> str:
    """A moment for people, in the operator's time zone."""
    return f"{moment.astimezone(ZoneInfo(timezone)):%Y-%m-%d %H:%M}"


def table(
    head: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    shrink: Sequence[str],
    drop: Sequence[str] = (),
) -> str:
    """Aligned columns. On a terminal those in *shrink* give way, in that order.

    Where even that is too wide, those in *drop* are left out: a line that wraps is none.
    """
    lines = [list(head), *([one_line(text) for text in row] for row in rows)]
    columns = [_Column(line, can_shrink=line[0] in shrink) for line in zip(*lines, strict=True)]
    if sys.stdout.isatty():
        columns = _fitted(columns, shutil.get_terminal_size().columns, shrink, drop)
    shown = zip(*(column.cells() for column in columns), strict=True)
    return "\n".join("  ".join(line).rstrip() for line in shown)


class _Column:
    """A column of texts, its head first, and how many cells it takes."""

    def __init__(self, texts: Sequence[str], *, can_shrink: bool) -> None:
        self.name, self._texts = texts[0], texts
        self.width = max(map(cells, texts))
        self.narrowest = min(self.width, NARROWEST) if can_shrink else self.width

    def cells(self) -> list[str]:
        return [fit(text, self.width) for text in self._texts]


def _fitted(
    columns: list[_Column], available: int, shrink: Sequence[str], drop: Sequence[str]
) -> list[_Column]:
    for name in drop:
        if _gaps(columns) + sum(column.narrowest for column in columns) > available:
            columns = [column for column in columns if column.name != name]
    for name in shrink:
        surplus = _gaps(columns) + sum(column.width for column in columns) - available
        for column in columns:
            if column.name == name:
                column.width -= min(max(surplus, 0), column.width - column.narrowest)
    return columns


def _gaps(columns: list[_Column]) -> int:
    return 2 * (len(columns) - 1)
