"""docs/contract.md names every line and its tests; what `make prove` breaks fits the code.

The proof itself takes too long for here: it runs hundreds of tests.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCUMENT = """\
Its lines: S900-1 to S900-2; settled 1 to 1.

- **S900-1** Two and two.
  - `tests/test_sums.py::test_two_and_two`
- **S900-2** Three and three. *missing*
- **settled 1** Sums.
  - `tests/test_sums.py`
"""
TESTS = '''\
"""Sums (settled 1)."""

from sums import add


def test_two_and_two():
    """(S900-1)."""
    assert add(2, 2) == 4
'''
MUTATION = """\
[[mutation]]
id = "{id}"
what = "multiplies"
file = "src/sums.py"
old = "{old}"
new = "{new}"
tests = ["tests/test_sums.py::test_two_and_two"]
"""
SETTLED = MUTATION.format(id="settled 1", old="a + b", new="a - b")


def script(name: str, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, ROOT / "scripts" / name, *arguments],
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
    )


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A project of two lines: one is proved, one is missing."""
    texts = {
        "docs/contract.md": DOCUMENT,
        "docs/contract-mutations/all.toml": SETTLED
        + MUTATION.format(id="S900-1", old="a + b", new="a - b"),
        "src/sums.py": "def add(a, b):\n    return a + b\n",
        "tests/test_sums.py": TESTS,
        "pyproject.toml": '[tool.pytest.ini_options]\nmarkers = ["slow"]\n',
    }
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    return tmp_path


def change(path: Path, old: str, new: str) -> None:
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), "utf-8")


def test_every_line_is_told_once_with_the_tests_that_cite_it() -> None:
    done = script("contract.py", "--check")

    assert (done.returncode, done.stdout) == (
        0,
        "100 lines of the contract, each with its tests.\n",
    )


def test_every_breakage_fits_the_code_and_every_proved_line_has_one() -> None:
    done = script("contract_mutations.py", "--check")

    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    ("file", "old", "new", "told"),
    [
        ("docs/contract.md", "- **S900-2** Three and three. *missing*\n", "", "S900-2 is missing"),
        ("docs/contract.md", "**S900-2**", "**S900-1**", "S900-1 stands 2 times"),
        ("docs/contract.md", "**S900-2**", "**S900-3**", "S900-3 is no line"),
        ("docs/contract.md", " *missing*", "", "S900-2 has no test, and does not say"),
        ("docs/contract.md", "Two and two.", "*missing*", "S900-1 is called missing, but 1 test"),
        ("docs/contract.md", "test_two_and_two`", "test_two`", "run `make contract`"),
        ("tests/test_sums.py", "(S900-1)", "(S900-1, S900-7)", "S900-7 is cited by tests/test_su"),
    ],
)
def test_what_does_not_agree_is_told(tree: Path, file: str, old: str, new: str, told: str) -> None:
    change(tree / file, old, new)

    done = script("contract.py", "--check", "--root", tree)

    assert done.returncode == 1
    assert told in done.stdout


def test_the_lists_of_tests_are_written_anew(tree: Path) -> None:
    change(tree / "docs/contract.md", "  - `tests/test_sums.py::test_two_and_two`\n", "")

    done = script("contract.py", "--root", tree)

    assert done.returncode == 0, done.stdout
    assert (tree / "docs/contract.md").read_text("utf-8") == DOCUMENT


@pytest.mark.parametrize(
    ("table", "told"),
    [
        (MUTATION.format(id="S900-1", old="a * b", new="a - b"), "found 0 times, not once"),
        (MUTATION.format(id="S900-1", old="a", new="c"), "times, not once"),
        (MUTATION.format(id="S900-1", old="a + b", new="a + b"), "changes nothing"),
        ("", "S900-1 has tests, but nothing breaks it"),
        (
            MUTATION.format(id="S900-1", old="a + b", new="a - b").replace("two_and", "one_and"),
            "there is no tests/test_sums.py::test_one_and_two",
        ),
    ],
    ids=["stale", "twice", "nothing", "unbroken", "no such test"],
)
def test_a_table_that_does_not_fit_is_told(tree: Path, table: str, told: str) -> None:
    (tree / "docs/contract-mutations/all.toml").write_text(SETTLED + table, "utf-8")

    done = script("contract_mutations.py", "--check", "--root", tree)

    assert done.returncode == 1
    assert told in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    ("new", "code", "told"),
    [
        ("a - b", 0, "noticed     S900-1: multiplies"),
        ("a * b", 1, "NOT NOTICED S900-1: multiplies"),
        ("a +", 1, "(not run: "),
    ],
    ids=["noticed", "unnoticed", "no Python"],
)
def test_a_breakage_is_noticed_or_told_and_the_tree_stays_as_it_was(
    tree: Path, new: str, code: int, told: str
) -> None:
    table = MUTATION.format(id="S900-1", old="a + b", new=new)
    (tree / "docs/contract-mutations/all.toml").write_text(SETTLED + table, "utf-8")

    done = script("contract_mutations.py", "--root", tree, "--only", "S900-1", "--jobs", "1")

    assert done.returncode == code, done.stdout + done.stderr
    assert told in done.stdout
    assert "1 breakages" in done.stdout
    assert (tree / "src/sums.py").read_text("utf-8") == "def add(a, b):\n    return a + b\n"


@pytest.mark.slow
def test_a_test_that_fails_by_itself_proves_nothing(tree: Path) -> None:
    change(tree / "tests/test_sums.py", "== 4", "== 5")

    done = script("contract_mutations.py", "--root", tree, "--jobs", "1")

    assert done.returncode == 1
    assert "With nothing broken, these do not pass:\n  tests/test_sums.py::test_two" in done.stdout
