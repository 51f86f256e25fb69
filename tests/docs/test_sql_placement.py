"""Breaking a rule of the house is noticed by `make house` (docs/decisions/0001-rooms.md).

That they hold now is what `make lint` says, here and in CI.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def lint(root: Path) -> subprocess.CompletedProcess[str]:
    """Hold the tree at *root* against its own contracts."""
    return subprocess.run(
        [Path(sys.executable).parent / "lint-imports", "--no-cache"],
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(root / "src"), "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def copy_of_the_house(folder: Path) -> Path:
    shutil.copy(ROOT / "pyproject.toml", folder)
    shutil.copytree(
        ROOT / "src", folder / "src", ignore=shutil.ignore_patterns("__pycache__", "*.pyc")
    )
    return folder


# By module: what is added to it, and what is said of that.
VIOLATIONS = {
    "storage/upstairs.py": ("import clawfeed.app.clock", "clawfeed.storage is not allowed"),
    "egress/sibling.py": ("import clawfeed.storage.database", "clawfeed.egress is not allowed"),
    "domain/impure.py": ("import asyncio", "clawfeed.domain is not allowed"),
    "cellar/__init__.py": ("", "clawfeed.cellar"),  # a room that is not in the drawing
    "storage/database.py": (
        "if TYPE_CHECKING: import clawfeed.storage.sql_lists",
        "No cycles are allowed in clawfeed.storage",
    ),
}


@pytest.mark.slow
def test_every_violation_is_caught(tmp_path: Path) -> None:
    house = copy_of_the_house(tmp_path)
    for module, (line, _) in VIOLATIONS.items():
        broken = house / "src" / "clawfeed" / module
        broken.parent.mkdir(exist_ok=True)
        with broken.open("a", encoding="utf-8") as file:
            file.write(line + "\n")

    done = lint(house)

    said = " ".join((done.stdout + done.stderr).split())
    assert done.returncode == 1, done.stdout
    assert [complaint for _, complaint in VIOLATIONS.values() if complaint not in said] == []


@pytest.mark.slow
def test_the_copy_by_itself_is_sound(tmp_path: Path) -> None:
    """The control: what the test above catches is the violation, not the copying."""
    house = copy_of_the_house(tmp_path)

    done = lint(house)

    assert done.returncode == 0, done.stdout


def sql_outside(package: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, ROOT / "scripts" / "sql_placement.py", package],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize(
    "line",
    [
        'x = "SELECT id FROM sources"',
        'x = "select id\\nfrom sources"',
        'x = f"UPDATE {x} SET y = 1"',
        'x = "WHERE 1 = 1 ON CONFLICT DO NOTHING"',
        "from clawfeed.storage.database import Database, Statement",
    ],
)
def test_sql_outside_storage_is_caught(tmp_path: Path, line: str) -> None:
    for room in ("collector", "storage"):
        (tmp_path / room).mkdir()
        (tmp_path / room / "rows.py").write_text(f'"""SELECT a word."""\n{line}\n', "utf-8")

    done = sql_outside(tmp_path)

    assert done.returncode == 1
    [told] = done.stdout.splitlines()  # nothing about storage, nor about the docstring
    assert f"{Path('collector') / 'rows.py'}:2: " in told


@pytest.mark.parametrize(
    ("spelling", "module"),
    [
        (r"\bis_public = 1", "visibility_conditions.py"),
        (r"paused_because\W+(?:''\)\s+)?(?:NOT )?IN\b", "status_conditions.py"),
        (r"fetch_error_count > 0", "status_conditions.py"),
        (r"INSERT INTO source_stats|Insert\(\s*table=\"source_stats\"", "first_stats.py"),
        (r"has_stats = 1", "first_stats.py"),
    ],
    ids=[
        "who sees what",
        "who stopped by themselves",
        "who fails",
        "the first stats row",
        "who has one",
    ],
)
def test_a_rule_is_spelled_once(spelling: str, module: str) -> None:
    storage = ROOT / "src" / "clawfeed" / "storage"
    found = [
        path.name
        for path in sorted(storage.rglob("*.py"))
        if re.search(spelling, path.read_text(encoding="utf-8"))
    ]

    assert found == [module]


def test_every_change_of_the_statistics_is_dated() -> None:
    """(S004-1): by whoever makes it. A claim changes only who holds them."""
    storage = ROOT / "src" / "clawfeed" / "storage"
    changes = [
        (path.name, changed)
        for path in sorted(storage.rglob("*.py"))
        for changed in re.findall(
            r"UPDATE source_stats SET(.+?)WHERE", path.read_text(encoding="utf-8"), re.DOTALL
        )
    ]

    assert len(changes) > 5
    assert [change for change in changes if "updated_at = :" not in change[1]] == []
