"""X's endpoints: where the posts of each type of source are read; the type's descriptor says it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum

from clawfeed.domain.schedule.read_budget import FEWEST_POSTS


class By(StrEnum):
    """What a source of the type is named by: the key in its config that says what to read."""

    HANDLE = "handle"
    LIST = "list_id"
    QUERY = "query"
    OWNER = "user_id"  # one's own needs no name; with it a question to X is saved


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """Where the posts of one type of source lie in the API."""

    name: str  # of the type
    by: By
    path: str
    takes_since_id: bool
    bridged_as: str  # `{type}` in a bridge's template
    fewest: int = FEWEST_POSTS  # X refuses to send fewer posts at once
    # X answers 400 to a `since_id` beyond what it searches; None where it takes any.
    reach: timedelta | None = None

    @property
    def is_personal(self) -> bool:
        return self.by is By.OWNER

    @property
    def is_of_an_account(self) -> bool:
        """Whether the id in its path is an account's."""
        return self.by in (By.HANDLE, By.OWNER)
