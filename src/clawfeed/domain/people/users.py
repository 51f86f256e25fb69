"""Who uses ClawFeed, and what they may do."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum

from clawfeed.domain.ids import ApiKeyId, SessionId, UserId

# How long a sign-in counts as fresh: keys, passwords and people are touched only while it does.
FRESH_SIGN_IN = timedelta(minutes=10)


class Role(StrEnum):
    """What a person may do. Never settable by the person."""

    ADMIN = "admin"
    USER = "user"


class Scope(StrEnum):
    """What an API key may be used for; each includes the ones before it."""

    READ = "read"
    WRITE = "write"
    ADMIN = "admin"


# From the least to the most.
SCOPES = (Scope.READ, Scope.WRITE, Scope.ADMIN)


@dataclass(frozen=True, slots=True, kw_only=True)
class User:
    """A person with an account. *slug* is a short name for addresses."""

    id: UserId
    email: str
    name: str
    slug: str
    role: Role = Role.USER
    is_disabled: bool = False

    @property
    def is_admin(self) -> bool:
        return self.role is Role.ADMIN and not self.is_disabled


@dataclass(frozen=True, slots=True, kw_only=True)
class UsedKey:
    """The key behind a request; *id* is None for the operator's own, which is no row.

    *operator_hash* is of the operator's key, if this is that key or goes back to it.
    """

    id: ApiKeyId | None = None
    expires_at: datetime | None = None
    operator_hash: bytes | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """The person behind a request, and how far their key or session reaches.

    *session* and *signed_in_at* are None for an API key, *key* is None for a session.
    """

    user: User
    scope: Scope
    session: SessionId | None = None
    signed_in_at: datetime | None = None
    key: UsedKey | None = None

    def may(self, scope: Scope) -> bool:
        """Whether both the person and the key allow it: a key never does more than its owner."""
        if self.user.is_disabled or (scope is Scope.ADMIN and not self.user.is_admin):
            return False
        return SCOPES.index(scope) <= SCOPES.index(self.scope)

    @property
    def is_admin(self) -> bool:
        return self.may(Scope.ADMIN)

    def is_fresh(self, now: datetime) -> bool:
        """Whether they proved who they are just now; a key with all rights always has."""
        if self.signed_in_at is None:
            return self.scope is Scope.ADMIN
        return now - self.signed_in_at <= FRESH_SIGN_IN
