"""How our sentences begin where they are shown: small in JSON and logs, large on pages."""

from __future__ import annotations

import re
from typing import Final

# An address, a file, a setting or a field: it is not written otherwise anywhere.
_NAME: Final = re.compile(r"\S*[\w)][./:@_=][\w/]|\S*[A-Z_]{2}")


def begins(sentence: str) -> str:
    """The class that writes its first letter large; none where a name stands first."""
    return "" if _NAME.match(sentence) else "sentence"
