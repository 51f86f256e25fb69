"""What services carried out: messages posted, files written, mails taken. The oracle for I7.

An effect is noted when the service does it, before its answer leaves: an answer that is lost, or a
sender that dies while it waits for it, changes nothing about what happened.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """*place* is the chat, mailbox, path or address; *key* is what the sender called it, if it did.

    *content* is what arrived, as the service keeps it.
    """

    service: str
    place: str
    content: str
    key: str = ""


class Effects:
    """All effects, in the order they came about."""

    def __init__(self) -> None:
        self._all: list[Effect] = []

    def add(self, effect: Effect) -> int:
        """Note it; its number, from 1."""
        self._all.append(effect)
        return len(self._all)

    def of(self, service: str, place: str | None = None) -> list[Effect]:
        """Those of one service, at one place if given."""
        return [
            each for each in self._all if each.service == service and place in (None, each.place)
        ]

    def as_json(self) -> list[dict[str, Any]]:
        return [asdict(each) for each in self._all]
