"""One person's requests, one after another, where they count what that person has."""

from __future__ import annotations

from clawfeed.domain.errors import NotFoundError
from clawfeed.domain.ids import UserId
from clawfeed.storage.database import Statement, Steps


def hold(user_id: UserId) -> Steps[None]:
    """Lock the person's row until the transaction ends.

    Two requests at once must not both find room for the last one that a quota allows (T26).
    """
    yield Statement(
        "UPDATE users SET updated_at = updated_at WHERE id = :user",
        {"user": user_id},
        otherwise=NotFoundError(f"there is no user {user_id}"),
    )
