"""Editions and their parts as JSON texts in columns, and back as values."""

from __future__ import annotations

from typing import TypeVar

import msgspec

T = TypeVar("T")


def to_text(value: object) -> str:
    """Dataclasses, enums and moments as JSON."""
    return msgspec.json.encode(value).decode()


def from_text(kind: type[T], text: str) -> T:
    """What `to_text` wrote; `msgspec.DecodeError` for anything else."""
    return msgspec.json.decode(text, type=kind)
