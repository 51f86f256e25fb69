"""Numbers as they stand in addresses and forms: ids of rows, and where lists go on."""

from __future__ import annotations

import re
from typing import Final

from clawfeed.domain.errors import NotFoundError

# No database has more rows, and more digits could not be asked for.
_NUMBER: Final = re.compile("[0-9]{1,15}")


def number_in(text: str, noun: str = "thing") -> int:
    """The id that *text* is; what is none is the id of nothing: `NotFoundError`."""
    if not _NUMBER.fullmatch(text):
        raise NotFoundError(f"there is no such {noun}")
    return int(text)


def number_or_none(text: str) -> int | None:
    """The same where any nonsense means "all", or the beginning; no row has the number 0."""
    return int(text) or None if _NUMBER.fullmatch(text) else None
