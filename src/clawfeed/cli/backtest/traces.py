"""The sources that a backtest replays: read from a file, chosen, and put in circumstances."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import Path

from clawfeed.domain.backtest.backtest import WINDOW, Trace, as_newcomer, random_for
from clawfeed.domain.errors import InvalidInputError

HOUR = 3600.0
# What feeds ask for between polls (`<ttl>`, `sy:*`), where a file of traces does not tell: the
# parts of 89 real feeds. The rest ask for nothing that would slow anybody down.
USUAL_HINTS = ((0.26, HOUR), (0.01, 5 * HOUR))


@dataclass(frozen=True, slots=True, kw_only=True)
class Circumstances:
    """How the sources are met: what their documents hold, what is known and what they ask for."""

    window: int = WINDOW
    is_cold: bool = False
    has_hints: bool = False


def read_traces(path: Path, pinned: Mapping[str, float] | None = None) -> list[Trace]:
    """The traces of a gzipped file; `InvalidInputError` names the line that cannot be read.

    *pinned* are minutes by category (`cat`): such sources are polled at that interval.
    """
    found: list[Trace] = []
    try:
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for number, line in enumerate(lines, start=1):
                found.append(_trace(line, number, path, pinned or {}))
    except (OSError, EOFError, UnicodeDecodeError, zlib.error) as error:
        raise InvalidInputError(f"{path} is not a gzipped text: {error}") from error
    if not found:
        raise InvalidInputError(f"{path} holds no traces")
    return found


def _trace(line: str, number: int, path: Path, pinned: Mapping[str, float]) -> Trace:
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
            asked=float(row.get("ttl_seconds") or 0),
            pinned_minutes=pinned.get(str(row.get("cat"))),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise InvalidInputError(f"line {number} of {path} is not a trace: {error!r}") from error


def choose(traces: Iterable[Trace], sample: int | None) -> list[Trace]:
    """*sample* of the traces, the same ones every time and in no order of their names."""
    shuffled = sorted(traces, key=lambda trace: (random_for(trace.name, -1), trace.name))
    return shuffled[:sample]


def under(traces: Sequence[Trace], circumstances: Circumstances) -> list[Trace]:
    """The same sources in these circumstances."""
    if not circumstances.has_hints:
        traces = [replace(trace, asked=0.0) for trace in traces]
    elif not any(trace.asked for trace in traces):
        traces = [replace(trace, asked=_usual_hint(trace.name)) for trace in traces]
    if circumstances.is_cold:
        traces = [as_newcomer(trace, window=circumstances.window) for trace in traces]
    return list(traces)


def _usual_hint(name: str) -> float:
    die = random_for(name, -2)
    for part, asked in USUAL_HINTS:
        if die < part:
            return asked
        die -= part
    return 0.0
