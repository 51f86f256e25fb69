"""The header of Basic authentication (RFC 7617): of a person, and of an OAuth client."""

from __future__ import annotations

from base64 import b64encode
from urllib.parse import quote


def basic_auth(name: str, password: str) -> dict[str, str]:
    """The header for a user name, which holds no colon, and a password."""
    return {"Authorization": f"Basic {b64encode(f'{name}:{password}'.encode()).decode()}"}


def client_auth(client_id: str, secret: str) -> dict[str, str]:
    """The header for an OAuth client; both parts are form-encoded first (RFC 6749, 2.3.1)."""
    return basic_auth(quote(client_id, ""), quote(secret, ""))
