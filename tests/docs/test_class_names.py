"""One name, one thing: who reads a class's name need not ask of which module it is."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "src" / "clawfeed"


def modules_of_classes() -> dict[str, list[str]]:
    """By public class at the top of a module: where it stands.

    The simulator is left out: it plays the world, which has words of its own for the same things.
    """
    places: defaultdict[str, list[str]] = defaultdict(list)
    for path in sorted(PACKAGE.rglob("*.py")):
        place = path.relative_to(PACKAGE)
        if place.parts[0] == "simulator":
            continue
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(place.as_posix())
    return places


def test_no_public_class_of_one_module_is_named_like_that_of_another() -> None:
    places = modules_of_classes()

    assert len(places) > 500
    assert {name: where for name, where in places.items() if len(where) > 1} == {}
