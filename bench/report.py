"""How a benchmark says what it found."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping


def report(title: str, figures: Mapping[str, float | str]) -> None:
    """Print figures for people, or as one JSON line with `--json`."""
    if "--json" in sys.argv:
        print(json.dumps({"bench": title, **figures}))
        return
    print(title)
    for name, value in figures.items():
        print(f"  {name:<56} {_shown(value):>12}")


def _shown(value: float | str) -> str:
    if isinstance(value, str):
        return value
    return f"{value:,.1f}" if value >= 10 else f"{value:.2g}"
