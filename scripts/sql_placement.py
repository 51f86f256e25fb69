"""Where SQL stands outside `storage`, one line each; ends with 1 if there is any.

Who may import whom is import-linter's business (pyproject.toml); it cannot see strings.
"""
# ruff: noqa: INP001, T201 -- a script that prints

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

ROOM: Final = "storage"
# What a transaction is written with. Other rooms hand over values and get values.
TOOLS: Final = frozenset({"Dialect", "Insert", "Row", "SqlValue", "Statement", "Step", "Steps"})
SQL: Final = re.compile(
    r"""
    \b(SELECT\s|INSERT\s+INTO\s|DELETE\s+FROM\s|UPDATE\s+\S+\s+SET\s|ON\s+CONFLICT\b
      |(CREATE|ALTER|DROP)\s+(TABLE|INDEX)\s|PRAGMA\s)
    |\A\s*(?i:select\s.+\sfrom\s|insert\s+into\s|delete\s+from\s|update\s+\S+\s+set\s
      |with\s+\w+\s+as\s*\()
    """,
    re.VERBOSE | re.DOTALL,
)


def main(arguments: list[str]) -> int:
    package = Path(arguments[0] if arguments else "src/clawfeed")
    found = [
        f"{path}:{line}: {what}"
        for path in sorted(package.rglob("*.py"))
        if path.relative_to(package).parts[0] != ROOM
        for line, what in outside(ast.parse(path.read_text(encoding="utf-8")))
    ]
    print("\n".join(found) or "SQL stands in storage only.")
    return 1 if found else 0


def outside(module: ast.Module) -> Iterator[tuple[int, str]]:
    """Line and complaint for each piece of SQL in *module*."""
    prose = _docstrings(module)
    for node in ast.walk(module):
        if isinstance(node, ast.ImportFrom):
            taken = sorted(TOOLS & {name.name for name in node.names})
            if taken and (node.module or "").startswith("clawfeed.storage"):
                yield node.lineno, f"imports {', '.join(taken)}: for storage alone"
        elif id(node) not in prose and SQL.search(_text(node)):
            yield getattr(node, "lineno", 0), f"SQL: {' '.join(_text(node).split())[:60]}"


def _text(node: ast.AST) -> str:
    """A string's text, with a name where an f-string has a hole; "" for anything else."""
    if isinstance(node, ast.JoinedStr):
        return "".join(_text(part) or "x" for part in node.values)
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    return ""


def _docstrings(module: ast.Module) -> set[int]:
    """Strings that are no values: they may speak of SQL."""
    return {id(node.value) for node in ast.walk(module) if isinstance(node, ast.Expr)}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
