"""People as they are named on the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clawfeed.domain.errors import NotFoundError

if TYPE_CHECKING:
    from clawfeed.domain.people import User
    from clawfeed.storage.users import UserStore


async def person(people: UserStore, email: str) -> User:
    """Whoever has this address, or one sentence that nobody does."""
    account = await people.find(email)
    if account is None:
        raise NotFoundError(f"{email} has no account: `clawfeed user list` shows who does")
    return account.user
