"""Reads a `.env` file: `NAME=value` lines, comments, quotes. No variables inside values."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

# Compiled at first use (re keeps it): most starts have no .env file.
_ASSIGNMENT = r"(?:export\s+)?([A-Za-z_][A-Za-z0-9_.-]*)\s*=\s*(.*)"
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t"}


@dataclass(frozen=True, slots=True, kw_only=True)
class DotEnv:
    """What a `.env` file says.

    *problems* never show a line's content: one that cannot be read may well hold a password.
    """

    values: Mapping[str, str] = field(default_factory=dict)
    problems: tuple[str, ...] = ()


def read_dotenv(path: Path) -> DotEnv:
    """The file's values; a missing file has none, an unreadable one is a problem."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        return DotEnv()
    except UnicodeDecodeError:
        return DotEnv(problems=(f"{path.name} is not UTF-8 text: save it as UTF-8",))
    except OSError as error:
        return DotEnv(problems=(f"{path.name} cannot be read: {error.strerror}",))
    return parse_dotenv(text, name=path.name)


def parse_dotenv(text: str, *, name: str = ".env") -> DotEnv:
    """Every `NAME=value` in *text*; of two lines for one name the later wins."""
    values: dict[str, str] = {}
    problems: list[str] = []
    for number, line in enumerate(text.split("\n"), start=1):
        stripped = line.strip()
        if not stripped or stripped.startswith("#"):
            continue
        match = re.fullmatch(_ASSIGNMENT, stripped)
        value = _value(match[2]) if match else None
        if match and value is not None:
            values[match[1]] = value
        else:
            problems.append(f"{name} line {number} cannot be read: expected {_wanted(match)}")
    return DotEnv(values=values, problems=tuple(problems))


def _wanted(match: re.Match[str] | None) -> str:
    return f"a closing quote for {match[1]} on the same line" if match else "NAME=value"


def _value(written: str) -> str | None:
    """The value meant by the text after `=`; None when a quote is not closed."""
    if written[:1] == "'":
        match = re.fullmatch(r"'([^']*)'\s*(?:#.*)?", written)
        return match[1] if match else None
    if written[:1] == '"':
        match = re.fullmatch(r'"((?:[^"\\]|\\.)*)"\s*(?:#.*)?', written)
        return re.sub(r"\\(.)", _unescape, match[1]) if match else None
    # A `#` starts a comment only after white space: colours and URL fragments hold one too.
    return re.split(r"(?:^|\s)#", written, maxsplit=1)[0].strip()


def _unescape(match: re.Match[str]) -> str:
    return _ESCAPES.get(match[1], match[1])
