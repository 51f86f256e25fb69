"""How some services count the length of a text."""

from __future__ import annotations


def utf16_units(text: str) -> int:
    """A character beyond the first 65,536 is two, as Telegram and Discord count."""
    return len(text.encode("utf-16-le", "replace")) // 2
