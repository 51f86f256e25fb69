"""The one rule of the house holds, and breaking it is noticed (docs/decisions/0001-rooms.md)."""

from __future__ import annotations

import os
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


def test_everybody_imports_only_downstairs() -> None:
    done = lint(ROOT)

    assert done.returncode == 0, done.stdout
    assert "0 broken" in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    ("module", "line", "complaint"),
    [
        ("storage/upstairs.py", "import clawfeed.app.clock", "clawfeed.storage is not allowed"),
        ("egress/sibling.py", "import clawfeed.storage.database", "clawfeed.egress is not allowed"),
        ("domain/impure.py", "import asyncio", "clawfeed.domain is not allowed"),
        ("cellar/__init__.py", "", "clawfeed.cellar"),
    ],
    ids=["upstairs", "next door", "impure foundation", "a room not in the drawing"],
)
def test_a_violation_is_caught(tmp_path: Path, module: str, line: str, complaint: str) -> None:
    house = copy_of_the_house(tmp_path)
    broken = house / "src" / "clawfeed" / module
    broken.parent.mkdir(exist_ok=True)
    broken.write_text(line + "\n", encoding="utf-8")

    done = lint(house)

    assert done.returncode == 1, done.stdout
    assert complaint in " ".join((done.stdout + done.stderr).split())


@pytest.mark.slow
def test_the_copy_by_itself_is_sound(tmp_path: Path) -> None:
    """The control: what the test above catches is the violation, not the copying."""
    house = copy_of_the_house(tmp_path)

    done = lint(house)

    assert done.returncode == 0, done.stdout
