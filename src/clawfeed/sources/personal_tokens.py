"""Tokens of people who let us read what is their own at a site."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from clawfeed.domain.ids import UserId
from clawfeed.domain.secret import Secret


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonalToken:
    """A token, and the account there that it is for; "" for the house's own, which is asked."""

    token: Secret
    account: str = ""


class PersonalTokens(Protocol):
    """Who may read what belongs to one person."""

    async def token_for(self, owner: UserId | None) -> PersonalToken:
        """The token of *owner*; `SourceError(AUTH_REQUIRED)` if they have to authorise us."""
        ...

    async def replaced(self, owner: UserId | None, used: PersonalToken) -> PersonalToken:
        """Another one for a token that was refused."""
        ...

    async def is_house_of(self, owner: UserId | None) -> bool:
        """Whether nobody else would read what is the operator's own."""
        ...
