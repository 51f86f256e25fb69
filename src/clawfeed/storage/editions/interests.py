"""What readers want more of, less of and nothing of: one list a person."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from clawfeed.domain.editions.interests import (
    Interest,
    InterestChange,
    InterestKind,
    change_between,
)
from clawfeed.domain.errors import InvalidInputError, QuotaError, RefusalCode
from clawfeed.domain.ids import UserId
from clawfeed.storage.database import Database, Insert, Row, Statement, Steps
from clawfeed.storage.person_lock import hold
from clawfeed.storage.timestamps import seconds

# More than anybody means; each is looked for in every story (T26).
MOST_INTERESTS = 200
_LIST = "SELECT kind, text, weight FROM interests WHERE user_id = :user ORDER BY id"


class InterestStore:
    """One person's list at a time. Who has one gets editions of their own."""

    def __init__(self, database: Database) -> None:
        self._db = database

    async def list(self, user: UserId) -> list[Interest]:
        """In the order they were given."""
        return await read_interests(self._db, user)

    async def replace(self, user: UserId, interests: Sequence[Interest], *, now: datetime) -> None:
        """Keep these instead of what was there; all of them, or none if one cannot be."""
        await self._db.run(lambda: _replace(user, interests, now))

    async def change(
        self,
        user: UserId,
        wanted: Callable[[Sequence[Interest]], Sequence[Interest]],
        *,
        now: datetime,
    ) -> InterestChange:
        """Keep what *wanted* makes of the list; answers with what brings the old one back.

        Two that change it at once both have their way. *wanted* has no effect of its own: it may
        be asked again.
        """
        return await self._db.run(lambda: _change(user, wanted, now))


async def read_interests(database: Database, user: UserId) -> list[Interest]:
    return _to_interests(await database.read(_LIST, {"user": user}))


def _to_interests(rows: Sequence[Row]) -> list[Interest]:
    return [
        Interest(kind=InterestKind(row["kind"]), text=row["text"], weight=row["weight"])
        for row in rows
    ]


def _change(
    user: UserId, wanted: Callable[[Sequence[Interest]], Sequence[Interest]], now: datetime
) -> Steps[InterestChange]:
    yield from hold(user)
    before = _to_interests((yield Statement(_LIST, {"user": user})))
    after = wanted(before)
    yield from _replace(user, after, now)
    return change_between(after, before)


def _require_each_once(interests: Sequence[Interest]) -> None:
    seen: set[tuple[str, str]] = set()
    for each in interests:
        if (each.kind, each.text) in seen:
            raise InvalidInputError(
                f"the {each.kind} {each.text!r} is in the list twice",
                RefusalCode.INTEREST_TWICE,
                text=each.text,
            )
        seen.add((each.kind, each.text))


def require_few(interests: Sequence[Interest]) -> None:
    """`QuotaError` for more than one person may have: an edition is chosen by each (T26)."""
    if len(interests) > MOST_INTERESTS:
        raise QuotaError(
            f"a person may have {MOST_INTERESTS} interests at most",
            RefusalCode.TOO_MANY,
            most=MOST_INTERESTS,
        )


def _replace(user: UserId, interests: Sequence[Interest], now: datetime) -> Steps[None]:
    require_few(interests)
    _require_each_once(interests)
    yield from hold(user)
    yield Statement("DELETE FROM interests WHERE user_id = :user", {"user": user})
    yield Insert(
        table="interests",
        columns=("user_id", "kind", "text", "weight", "created_at"),
        rows=[(user, each.kind, each.text, each.weight, seconds(now)) for each in interests],
    )
