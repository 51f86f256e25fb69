"""What people are called."""

from __future__ import annotations

import pytest

from clawfeed.domain.errors import InvalidInputError
from clawfeed.domain.people.user_names import normal_email, normal_name
from tests.support.hostile_text import header_injections


@pytest.mark.parametrize(
    ("text", "email"),
    [
        ("anna@example.org", "anna@example.org"),
        (" Anna.Schmidt+News@Example.ORG ", "anna.schmidt+news@example.org"),
        ("admin@localhost", "admin@localhost"),
        ("o'neil@mail.example", "o'neil@mail.example"),
    ],
)
def test_an_address_has_one_spelling(text: str, email: str) -> None:
    assert normal_email(text) == email


@pytest.mark.parametrize(
    "text",
    [
        "",
        "anna",
        "@example.org",
        "anna@",
        "anna@exa mple.org",
        "a@b@c",
        "a@-x.example",
        "a@x..example",
        "a" * 65 + "@example.org",
        "a@" + "b" * 64 + ".example",
        "anna@example.org\n",
        "анна@example.org",
        "ni\u212a@example.org",  # the Kelvin sign, which lower case makes a plain k
    ],
)
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(InvalidInputError, match=r"write it like anna@example\.org"):
        normal_email(text)


@pytest.mark.parametrize("text", header_injections(), ids=ascii)
def test_no_header_is_injected_by_an_address_or_a_name(text: str) -> None:
    """(T23, T29)."""
    with pytest.raises(InvalidInputError):
        normal_email(text)
    try:
        accepted = normal_name(text)
    except InvalidInputError:
        return
    assert accepted.isprintable()
    assert len(accepted) <= 254
