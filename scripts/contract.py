"""Hold docs/contract.md against the tests: under each line stand the tests that cite it.

`contract.py` writes these lists anew; `contract.py --check` only says what does not agree, and ends
with 1 if anything does not. What a line says, and what is missing of it, is written by hand.
"""
# ruff: noqa: INP001, T201 -- a script that prints

from __future__ import annotations

import ast
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]
DOCUMENT: Final = Path("docs/contract.md")
# The test of this script speaks of lines that it invents.
NOT_READ: Final = "tests/docs/test_contract.py"
CITATION: Final = re.compile(
    r"\b(?P<line>S\d{3}-\d+)|\b[Ss]ettled (?:questions? )?(?P<settled>\d+(?:(?:, | and )\d+)*)"
)
RANGE: Final = re.compile(r"(S\d{3}-|settled )(\d+) to (?:S\d{3}-)?(\d+)")
LINE: Final = re.compile(r"- \*\*(S\d{3}-\d+|settled \d+)\*\* ")
TEST: Final = re.compile(r"  - `(.+)`")


def main(arguments: list[str]) -> int:
    root = Path(arguments[arguments.index("--root") + 1]) if "--root" in arguments else ROOT
    path = root / DOCUMENT
    text = path.read_text(encoding="utf-8")
    cited = citations(root)
    if "--check" not in arguments:
        text = rewritten(text, cited)
        path.write_text(text, encoding="utf-8")
    found = list(complaints(text, cited))
    print("\n".join(found) or f"{len(told(text))} lines of the contract, each with its tests.")
    return 1 if found else 0


def complaints(text: str, cited: dict[str, set[str]]) -> Iterator[str]:
    """One sentence for each thing that does not agree."""
    promised, lines = promised_lines(text), told(text)
    counts = Counter(LINE.findall(text))
    yield from (
        f"{line} stands {counts[line]} times, not once" for line in counts if counts[line] > 1
    )
    yield from (f"{line} is missing from {DOCUMENT}" for line in promised if line not in lines)
    yield from (f"{line} is no line of the contract" for line in lines if line not in promised)
    yield from (
        f"{line} is cited by {', '.join(sorted(tests))}, but is no line of the contract"
        for line, tests in cited.items()
        if line not in promised
    )
    for line, says in lines.items():
        if "*missing*" in says and cited.get(line):
            yield f"{line} is called missing, but {len(cited[line])} tests cite it"
        if not ("*missing*" in says or cited.get(line)):
            yield f"{line} has no test, and does not say that it is missing"
    if rewritten(text, cited) != text:
        yield "the tests named are not those that cite the lines: run `make contract`"


def promised_lines(text: str) -> list[str]:
    """Every id there is, by the ranges in the document's head."""
    return [
        f"{prefix}{number}"
        for prefix, first, last in RANGE.findall(text)
        for number in range(int(first), int(last) + 1)
    ]


def told(text: str) -> dict[str, str]:
    """What the document says of each line."""
    return {found[1]: row for row in text.splitlines() if (found := LINE.match(row))}


def rewritten(text: str, cited: dict[str, set[str]]) -> str:
    """*text* with the tests of *cited* under their lines, and no others."""
    rows: list[str] = []
    for row in text.splitlines():
        if TEST.match(row):
            continue
        rows.append(row)
        if found := LINE.match(row):
            rows += [f"  - `{test}`" for test in sorted(cited.get(found[1], ()))]
    return "\n".join(rows) + "\n"


def citations(root: Path) -> dict[str, set[str]]:
    """Which tests cite each line, as `file::test`; as `file` if it is said of the whole file."""
    cited: dict[str, set[str]] = {}
    for path, text in _test_files(root):
        spans = list(_tests(ast.parse(text)))
        for number, row in enumerate(text.splitlines(), start=1):
            for line in _lines_in(row):
                names = [name for name, first, last in spans if first <= number <= last]
                cited.setdefault(line, set()).add("::".join([path, *names[-1:]]))
    return cited


def tests(root: Path) -> set[str]:
    """Every test there is, as `file::test` or `file::Class::test`."""
    return {
        f"{path}::{name}"
        for path, text in _test_files(root)
        for name, _, _ in _tests(ast.parse(text))
    }


def _test_files(root: Path) -> Iterator[tuple[str, str]]:
    for path in sorted((root / "tests").rglob("*.py")):
        name = path.relative_to(root).as_posix()
        if name != NOT_READ:
            yield name, path.read_text(encoding="utf-8")


def _lines_in(row: str) -> Iterator[str]:
    for found in CITATION.finditer(row):
        if found["line"]:
            yield found["line"]
        else:
            yield from (f"settled {number}" for number in re.findall(r"\d+", found["settled"]))


def _tests(node: ast.AST, within: str = "") -> Iterator[tuple[str, int, int]]:
    """Each test's name, its first line (with what decorates it) and its last."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ClassDef):
            yield from _tests(child, f"{within}{child.name}::")
        elif isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef) and (
            child.name.startswith("test_")
        ):
            first = min([child.lineno, *(mark.lineno for mark in child.decorator_list)])
            yield within + child.name, first, child.end_lineno or child.lineno


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
