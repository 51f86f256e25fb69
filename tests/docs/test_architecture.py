"""The drawing of the house cannot lie: it shows the layers that import-linter enforces."""

from __future__ import annotations

import ast
import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final

# More files than this side by side are no overview any more: storage once had 133.
CROWDED: Final = 30

ROOT = Path(__file__).parents[2]
DOCUMENT = ROOT / "docs" / "architecture.md"


def drawing() -> list[str]:
    """The lines of the first code block that shows the house's roof."""
    blocks: list[str] = re.findall(
        r"^```\w*\n(.*?)^```", DOCUMENT.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
    )
    return next(block for block in blocks if "┌" in block).splitlines()


def drawn_floors() -> Iterator[list[str]]:
    """Each floor's rooms from left to right: the first word of each cell below a ceiling."""
    is_below_ceiling = False
    for line in drawing():
        stripped = line.strip()
        if is_below_ceiling and stripped.startswith("│"):
            inside = stripped[1 : stripped.rindex("│")]
            yield [cell.split()[0] for cell in inside.split("│")]
        is_below_ceiling = stripped.startswith(("┌", "├"))


def layers() -> list[list[str]]:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    [house] = [contract for contract in contracts if contract["type"] == "layers"]
    return [[room.strip() for room in layer.split("|")] for layer in house["layers"]]


def test_the_drawing_shows_the_layers_from_top_to_bottom_with_their_neighbours() -> None:
    floors = list(drawn_floors())

    assert floors == layers()


def test_every_drawn_room_is_a_folder_and_every_folder_is_drawn() -> None:
    rooms = {room for floor in drawn_floors() for room in floor}

    folders = {path.parent.name for path in (ROOT / "src" / "clawfeed").glob("*/__init__.py")}
    assert rooms == folders


def test_every_wall_of_the_drawing_stands_straight() -> None:
    """A drawing that was edited by hand loses its right wall first."""
    house = [line.rstrip() for line in drawing() if line.strip()]
    right = house[0].rindex("┐")

    assert [line for line in house if line[right] not in "┐│┤┘"] == []


def test_every_room_has_its_line_in_the_list_of_rooms() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")

    missing = [room for floor in layers() for room in floor if f"\n| `{room}` |" not in text]
    assert missing == []


def test_every_folder_of_a_room_is_told_as_it_tells_of_itself() -> None:
    told: dict[str, str] = {}
    for section in (ROOT / "docs" / "rooms.md").read_text(encoding="utf-8").split("\n## ")[1:]:
        room = section.partition("\n")[0]
        for folder, line in re.findall(r"^\| `([\w/]+)` \| (.+) \|$", section, re.MULTILINE):
            told[f"{room}/{folder}"] = f"{line}."

    house = ROOT / "src" / "clawfeed"
    assert told == {
        str(path.parent.relative_to(house)): (ast.get_docstring(_module(path)) or "").partition(
            "\n"
        )[0]
        for path in house.glob("*/*/**/__init__.py")
    }


def test_every_table_of_the_schema_is_told() -> None:
    _, _, section = DOCUMENT.read_text(encoding="utf-8").partition("## Where state lives")
    steps = sorted((ROOT / "src/clawfeed/storage/migrations").glob("*.sql"))
    schema = "\n".join(path.read_text(encoding="utf-8") for path in steps)

    tables: set[str] = set()
    change = r"(CREATE|DROP|ALTER) (?:VIRTUAL )?TABLE (?:IF EXISTS )?(\w+)(?: RENAME TO (\w+))?"
    for verb, name, new in re.findall(change, schema):
        if verb == "CREATE":
            tables.add(name)
        elif verb == "DROP" or new:
            tables.discard(name)
            tables |= {new} - {""}
    assert {"outbox", "collector_heartbeats"} <= tables
    assert {name for name in tables if f"`{name}`" not in section} == set()


def test_no_room_and_no_folder_is_crowded() -> None:
    """Whoever lists a folder sees at a glance what is in it."""
    house = ROOT / "src" / "clawfeed"
    files = Counter(path.parent for path in house.rglob("*.py"))

    assert {str(folder.relative_to(house)): n for folder, n in files.items() if n > CROWDED} == {}


def _module(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))
