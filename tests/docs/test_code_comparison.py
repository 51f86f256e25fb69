"""Machines compare codes, never the sentences that people read."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src" / "clawfeed"
# What is written for people, by the names it goes by in rows, values and statements.
TOLD = r"(?:because|detail|message|last_error|why)"
CODE = re.compile(r"[a-z0-9_]*")
# A column held against a text within SQL: `because <> 'its turn'`, `t.because LIKE 'every %'`.
IN_SQL = re.compile(
    rf"\b\w*{TOLD}\b\s*(?P<how>=|<>|!=|\bLIKE\b|\bILIKE\b|~|\bGLOB\b|\bIN\b)\s*\(?'(?P<text>[^']*)'",
    re.IGNORECASE,
)
SEARCHES = frozenset({"search", "match", "fullmatch", "findall", "sub", "split"})
ERRORS = frozenset({"error", "exc", "err", "refusal", "failure", "problem"})
# What holds several of them: `map(str, errors)` is what all of them say.
SEVERAL = frozenset({"errors", "failures", "notes", "problems", "refusals", "refused"})
# What is said goes by this name where it is handed on.
SAID = "sentence"
# There it is a sentence of the news, or looked at for its first letter.
NOT_SAID = ("digest/", "simulator/", "web/frame/capitalisation.py")
PARTS = frozenset({"startswith", "endswith", "find", "index"})


def sentences_compared(text: str) -> list[str]:
    """Every place where *text* goes by what is told to people."""
    in_sql = [
        found[0]
        for found in IN_SQL.finditer(text)
        if found["how"].upper() in {"LIKE", "ILIKE", "~", "GLOB"}
        or not CODE.fullmatch(found["text"])
    ]
    return in_sql + [ast.unparse(node) for node in ast.walk(ast.parse(text)) if _goes_by(node)]


def _goes_by(node: ast.AST) -> bool:
    if isinstance(node, ast.Compare):
        sides = [node.left, *node.comparators]
        # Looking for anything in a sentence is wrong, comparing it with a code may be right.
        is_part = any(isinstance(op, ast.In | ast.NotIn) for op in node.ops)
        is_searched = is_part and any(map(_is_told, node.comparators))
        return is_searched or (any(map(_is_told, sides)) and any(map(_is_sentence, sides)))
    if isinstance(node, ast.Subscript):  # a table whose keys are sentences
        return _is_said(node.slice)
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
        return False
    searched = node.func.attr in SEARCHES | {"get"} and any(map(_is_told, node.args))
    return searched or (node.func.attr in PARTS and _is_told(node.func.value))


def _is_told(node: ast.expr) -> bool:
    """`failed.detail`, `row["because"]`, `str(error)`, or words of it; a name may be anything."""
    name = ""
    if isinstance(node, ast.Call):
        if isinstance(node.func, ast.Attribute):  # error.detail.lower(), error.detail.split()
            return _is_told(node.func.value)
        return _is_said(node)
    if isinstance(node, ast.Name):
        return _is_said(node)
    if isinstance(node, ast.Attribute):
        name = node.attr
    elif isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        name = str(node.slice.value)
    return bool(re.fullmatch(TOLD, name))


def _is_said(node: ast.expr) -> bool:
    """`sentence`, `str(error)`, `map(str, errors)`: never a code, whatever it is held against."""
    match node:
        case ast.Name(id=name):
            return name == SAID
        case ast.Call(func=ast.Name(id="str"), args=[ast.Name(id=caught)]):
            return caught in ERRORS
        case ast.Call(func=ast.Name(id="map"), args=[ast.Name(id="str"), several]):
            name = several.attr if isinstance(several, ast.Attribute) else ast.unparse(several)
            return name in SEVERAL
    return False


def _is_sentence(node: ast.expr) -> bool:
    is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
    return is_text and not CODE.fullmatch(str(ast.literal_eval(node)))


def places() -> Iterator[tuple[str, str]]:
    for path in sorted(SOURCE.rglob("*.py")):
        yield str(path.relative_to(SOURCE)), path.read_text(encoding="utf-8")


def test_nobody_goes_by_a_sentence() -> None:
    found = {
        name: compared
        for name, text in places()
        if (
            compared := [
                each
                for each in sentences_compared(text)
                if not (name.startswith(NOT_SAID) and SAID in each)
            ]
        )
    }

    assert found == {}


@pytest.mark.parametrize(
    "text",
    [
        '''sql = "WHERE t.because LIKE 'every %'"''',
        '''sql = "AND (:but_turns = 0 OR because <> 'its turn')"''',
        '''is_it = row["because"] == "waiting for its turn"''',
        """is_it = "was expired" in error.detail""",
        """is_it = pattern.search(failed.detail)""",
        """is_it = error.detail.startswith("HTTP")""",
        """is_it = host not in error.detail.split()""",
        """is_it = "expired" in error.detail.lower()""",
        """is_it = "locked" in str(error)""",
        'is_it = str(error) == "no such row"',
        """is_it = str(error).startswith("UNIQUE")""",
        """is_it = re.match(rf"{name}\\b", sentence)""",
        """is_it = sentence.startswith(name)""",
        """is_it = str(error) not in map(str, self.notes)""",
        """code = CODES[sentence]""",
        """code = CODES.get(sentence)""",
    ],
)
def test_whoever_does_is_noticed(text: str) -> None:
    assert len(sentences_compared(text)) == 1


@pytest.mark.parametrize(
    "text",
    [
        '''sql = "WHERE because <> 'turn' AND paused_because IN ('errors', 'gone')"''',
        """is_it = because.rule is Rule.HOST_TURN""",
    ],
)
def test_codes_may_be_compared(text: str) -> None:
    assert sentences_compared(text) == []
