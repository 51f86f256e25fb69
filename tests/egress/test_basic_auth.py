"""Who asks, in a header: as a person, and as an OAuth client."""

from __future__ import annotations

from base64 import b64decode

from clawfeed.egress.basic_auth import basic_auth, client_auth


def said(headers: dict[str, str]) -> str:
    [(name, value)] = headers.items()
    scheme, _, pair = value.partition(" ")
    assert (name, scheme) == ("Authorization", "Basic")
    return b64decode(pair, validate=True).decode()


def test_a_password_is_said_as_it_is() -> None:
    """RFC 7617: only the first colon parts the two."""
    assert said(basic_auth("ann", "p:w é/%")) == "ann:p:w é/%"


def test_what_a_client_is_known_by_is_encoded_first() -> None:
    """RFC 6749, 2.3.1: a colon in the id parts nothing, and any character may be in the secret."""
    assert said(client_auth("a:b/c", "s%+ é~-_.")) == "a%3Ab%2Fc:s%25%2B%20%C3%A9~-_."
