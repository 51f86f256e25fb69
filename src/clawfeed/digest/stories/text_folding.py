"""Text as comparisons read it."""

from __future__ import annotations

import re
import unicodedata

_ACCENTS = re.compile("[\u0300-\u036f]")


def fold(text: str) -> str:
    """Without case and accents; full-width letters as plain ones."""
    plain = unicodedata.normalize("NFKD", text.lower())
    return unicodedata.normalize("NFC", _ACCENTS.sub("", plain))
