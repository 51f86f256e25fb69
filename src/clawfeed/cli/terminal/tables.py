"""Aligned columns that fit a terminal; no text in them steers it."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterable, Sequence

from clawfeed.app.processes.logging_setup import one_line
from clawfeed.cli.terminal.width import fit
from clawfeed.rendering.text_width import cells

# What a column that must give way is cut to at most.
NARROWEST_COLUMN = 12


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
        self.narrowest = min(self.width, NARROWEST_COLUMN) if can_shrink else self.width

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
