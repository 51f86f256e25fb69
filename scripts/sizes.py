"""The ten longest functions and files of src/clawfeed: a mirror, not a gate (`make sizes`)."""
# ruff: noqa: INP001, T201 -- a script that prints

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[1] / "src" / "clawfeed"
SHOWN = 10


def main() -> None:
    texts = {path: path.read_text(encoding="utf-8") for path in sorted(SOURCE.rglob("*.py"))}
    _print("functions", (found for path, text in texts.items() for found in _functions(path, text)))
    _print("files", ((len(text.splitlines()), _name(path)) for path, text in texts.items()))


def _functions(path: Path, text: str) -> Iterator[tuple[int, str]]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            yield lines, f"{_name(path)}:{node.lineno} {node.name}"


def _name(path: Path) -> str:
    return path.relative_to(SOURCE).as_posix()


def _print(title: str, sizes: Iterator[tuple[int, str]]) -> None:
    print(f"longest {title}")
    for lines, name in sorted(sizes, reverse=True)[:SHOWN]:
        print(f"{lines:6} {name}")


if __name__ == "__main__":
    main()
