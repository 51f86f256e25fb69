"""The walks of docs/architecture.md as values, to be compared with what really happened."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.support.counting_database import CountingDatabase, Crossing

ROOT = Path(__file__).parents[2]
DOCUMENT = ROOT / "docs" / "architecture.md"
# `send_out` (`src/clawfeed/storage/outbox/new_messages.py`): the path where the name is not enough.
FUNCTION = re.compile(r"`((?:\w+\.)?[a-z_]+)`(?:\s\(`src/([\w/]+)\.py`\))?")
TABLES = frozenset({"fetch_log"})


@dataclass(frozen=True, slots=True)
class Step:
    """A numbered line of a walk: the functions it names, with their modules; whether it crosses."""

    functions: list[str]
    is_crossing: bool


def walk(heading: str) -> list[Step]:
    """The numbered list below *heading*."""
    text = DOCUMENT.read_text(encoding="utf-8")
    section = text.split(f"\n### {heading}\n")[1].split("\n#")[0]
    steps = re.findall(r"^\d+\. (.*?)(?=^\d+\. |^\n|\Z)", section, re.DOTALL | re.MULTILINE)
    return [Step(list(_functions(step)), "crossing**" in step) for step in steps]


def names(steps: list[Step]) -> list[str]:
    return [name for step in steps for name in step.functions]


def compare(steps: list[Step], calls: dict[str, int]) -> None:
    """Every named function was called, in the order named, after the crossings marked before.

    What a crossing's line names besides its first function happens within it.
    """
    named = names(steps)
    assert all(step.functions for step in steps)
    assert [name for name in calls if name in named] == named
    crossed = 0
    for step in steps:
        first, *others = step.functions
        assert (first, calls[first]) == (first, crossed)
        crossed += step.is_crossing
        assert {name: calls[name] for name in others} == dict.fromkeys(others, crossed)


def on_the_way(counting: CountingDatabase, beside: frozenset[str]) -> list[Crossing]:
    """The crossings of our own code, without those that functions *beside* the walk made."""
    ours = [each for each in counting.crossings if each.by.startswith("clawfeed.")]
    return [each for each in ours if each.by not in beside]


def _functions(step: str) -> Iterator[str]:
    for name, path in FUNCTION.findall(step):
        if name in TABLES:
            continue
        places = [path.replace("/", ".")] if path else sorted(_modules().get(name, ()))
        assert len(places) == 1, f"`{name}` is in {places or 'no module'}: name its path beside it"
        yield f"{places[0]}.{name}"


@cache
def _modules() -> dict[str, set[str]]:
    """Which modules have a function of this name, methods with their class."""
    found: dict[str, set[str]] = {}
    for path in (ROOT / "src").rglob("*.py"):
        module = ".".join(path.relative_to(ROOT / "src").with_suffix("").parts)
        for name in _defined(ast.parse(path.read_text(encoding="utf-8")), ""):
            found.setdefault(name, set()).add(module)
    return found


def _defined(node: ast.AST, inside: str) -> Iterator[str]:
    for each in ast.iter_child_nodes(node):
        if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef):
            yield inside + each.name
        elif isinstance(each, ast.ClassDef):
            yield from _defined(each, f"{inside}{each.name}.")
