"""Who uses ClawFeed, and what they may do."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from clawfeed.domain.ids import UserId


class Role(StrEnum):
    """What a person may do. Never settable by the person."""

    ADMIN = "admin"
    USER = "user"


@dataclass(frozen=True, slots=True, kw_only=True)
class User:
    """A person with an account. *slug* names their public feed."""

    id: UserId
    email: str
    name: str
    slug: str
    role: Role = Role.USER
    is_disabled: bool = False

    @property
    def is_admin(self) -> bool:
        return self.role is Role.ADMIN and not self.is_disabled
