"""Who acts: read from a request once, and as it is written down beside what was done."""

from __future__ import annotations

from datetime import datetime

from fastapi import Request

from clawfeed.auth.client_address import COMMAND_LINE, Client, TrustedProxies, client_of
from clawfeed.domain.ids import UserId
from clawfeed.domain.people.users import Caller
from clawfeed.storage.audit import Hand


class Doorkeeper:
    """Of whatever answers requests, and knows which proxies may say whom they are for."""

    __slots__ = ()
    trusted_proxies: TrustedProxies

    def client(self, request: Request) -> Client:
        return client_of(request, self.trusted_proxies)

    def hand(self, request: Request, caller: Caller, now: datetime) -> Hand:
        """Who does something here, as it is written down."""
        return hand_of(caller, self.client(request), now)


def hand_of(caller: Caller, client: Client, now: datetime) -> Hand:
    """Somebody who is signed in, or came with a key."""
    return Hand(by=caller.user.id, client=str(client), now=now)


def hand_at_the_keyboard(now: datetime, *, by: UserId | None = None) -> Hand:
    """Whoever may run commands on this machine: nobody knows which person that is.

    *by* is whose what they do shall be, where the line needs somebody.
    """
    return Hand(by=by, client=str(COMMAND_LINE), now=now)
