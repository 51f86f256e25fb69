"""What a parse worker makes of an answer: drafts, ready to be stored."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from clawfeed.domain.item import Draft

LONGEST_TITLE: Final = 500
LONGEST_NAME: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """The drafts in their document's order. *dropped* entries could not be used."""

    drafts: tuple[Draft, ...] = ()
    dropped: int = 0


def reading_from_plain(data: Any) -> Reading:  # noqa: ANN401 - JSON, checked by use
    """The reading a worker sent as JSON, as values again."""
    return Reading(drafts=tuple(map(_draft, data["drafts"])), dropped=data["dropped"])


def _draft(data: Any) -> Draft:  # noqa: ANN401 - JSON, checked by use
    date = data["published_at"]
    return Draft(**{**data, "published_at": datetime.fromisoformat(date) if date else None})
