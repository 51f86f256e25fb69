"""What the pages for admins have in common: what they need, and how they say no."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final, TypeVar

from clawfeed.auth.client_address import TrustedProxies
from clawfeed.auth.request_actor import Doorkeeper
from clawfeed.domain.errors import (
    AlreadyExistsError,
    InvalidInputError,
    NotAllowedError,
    NotFoundError,
    RefusalCode,
    UserError,
)
from clawfeed.storage.database import Database
from clawfeed.web.frame.page_rendering import Site

PAGE: Final = 50
Move = TypeVar("Move", bound=StrEnum)
# What is refused is told on the page it was asked on; the first that fits decides.
_STATUS: Final = ((NotFoundError, 404), (AlreadyExistsError, 409), (NotAllowedError, 403))


@dataclass(frozen=True, slots=True, kw_only=True)
class AdminPages(Doorkeeper):
    """What these pages need."""

    site: Site
    database: Database
    trusted_proxies: TrustedProxies = ()


def status_of(error: UserError) -> int:
    """With which status a page tells it."""
    return next((status for kind, status in _STATUS if isinstance(error, kind)), 422)


def one_of(moves: type[Move], wanted: str) -> Move:
    """The move that a button means."""
    if wanted not in set(moves):
        raise InvalidInputError("there is no such button", RefusalCode.CHOICE_MISSING)
    return moves(wanted)
