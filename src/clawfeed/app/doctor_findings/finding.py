"""What the doctor says of one thing it examined."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Severity(StrEnum):
    OK = "ok"
    WARNING = "warning"
    PROBLEM = "problem"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing examined, and what came of it."""

    decision: Severity
    about: str
    text: str


def ok(about: str, text: str) -> Finding:
    return Finding(decision=Severity.OK, about=about, text=text)


def warning(about: str, text: str) -> Finding:
    return Finding(decision=Severity.WARNING, about=about, text=text)


def problem(about: str, text: str) -> Finding:
    return Finding(decision=Severity.PROBLEM, about=about, text=text)
