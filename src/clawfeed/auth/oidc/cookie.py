"""The cookie of a browser that is on its way to a provider and back (T16)."""

from __future__ import annotations

from clawfeed.auth.cookies import SafeCookie
from clawfeed.storage.people.oidc_flows import FLOW_LIFETIME


class PendingCookie(SafeCookie):
    """Binds the sign-in to the browser that began it.

    A link with somebody else's code, opened in another browser, finishes nothing.
    """

    __slots__ = ()

    plain_name = "oidc"
    life = FLOW_LIFETIME
