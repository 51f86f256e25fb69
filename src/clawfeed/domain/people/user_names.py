"""What people are called: e-mail addresses and names."""

from __future__ import annotations

import re
import unicodedata

from clawfeed.domain.errors import InvalidInputError, RefusalCode

LONGEST_EMAIL, LONGEST_NAME = 254, 100

# Narrower than RFC 5321 on purpose: no quotes, comments, lists, address literals or percent
# signs, none of which a person has and each of which once became a second recipient (T23).
_LABEL = r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
_EMAIL = re.compile(rf"[a-z0-9.!#$&'*+/=?^_`{{|}}~-]{{1,64}}@{_LABEL}(?:\.{_LABEL})*")


def normal_email(text: str) -> str:
    """The one spelling under which an address is stored and found, or `InvalidInputError`."""
    email = text.strip(" ").lower()
    # Before lower case: the Kelvin sign, another letter, would become a plain `k`.
    if not text.isascii() or len(email) > LONGEST_EMAIL or not _EMAIL.fullmatch(email):
        raise InvalidInputError(
            "the e-mail address is not one: write it like anna@example.org", RefusalCode.USER_EMAIL
        )
    return email


def normal_name(text: str) -> str:
    """A person's name in one line, or `InvalidInputError`."""
    name = text.strip(" ")
    if not name or len(name) > LONGEST_NAME:
        raise InvalidInputError(
            f"a name has 1 to {LONGEST_NAME} characters",
            RefusalCode.USER_NAME_LONG,
            most=LONGEST_NAME,
        )
    # Control, format and line-separating characters steer terminals and break headers.
    if any(unicodedata.category(each) in {"Cc", "Cf", "Cs", "Zl", "Zp"} for each in name):
        raise InvalidInputError(
            "a name has no line breaks and no invisible characters", RefusalCode.USER_NAME_INVISIBLE
        )
    return name
