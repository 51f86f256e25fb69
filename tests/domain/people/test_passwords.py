"""Which passwords are accepted."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clawfeed.domain.errors import InvalidInputError
from clawfeed.domain.people.passwords import (
    LONGEST_PASSWORD,
    SHORTEST_PASSWORD,
    fault_of,
    require_strength,
)

SHORT, LONG, COMMON = "too short", "too long", "easy to guess"


@pytest.mark.parametrize(
    ("password", "fault"),
    [
        ("", SHORT),
        ("elevenchars", SHORT),
        ("twelve-chars", None),
        ("four unrelated words here", None),
        ("  spaces count as typed  ", None),
        ("Tr0ub4dor&3-horse", None),
        ("x7%9$2!&4*#8^", None),
        ("长亭外古道边芳草碧连天啊", None),
        ("长亭外古道边芳草碧连天", SHORT),  # 33 bytes, but eleven characters
        ("Zw9p" + "ä" * 510, None),  # 4 + 510 * 2 = 1,024 bytes
        ("q" * 1025, LONG),
        ("aaaaaaaaaaaaaaaa", COMMON),
        ("abababababababab", COMMON),
        ("abcdefghijklmnop", COMMON),
        ("ponmlkjihgfedcba", COMMON),
        ("123456789012", COMMON),
        ("830295716304", COMMON),
        ("qwertyuiop123", COMMON),
        ("1q2w3e4r5t6y", COMMON),
        ("password1234", COMMON),
        ("Password!2026", COMMON),
        ("P4ssw0rd!!!!!", COMMON),
        ("passwordpassword", COMMON),
        ("letmein letmein", COMMON),
        ("administrator", COMMON),
        ("clawfeed2026!", COMMON),
        ("Christmas2026", COMMON),
        ("Anna.Schmidt@example.org", COMMON),
        ("anna.schmidt1990", COMMON),
    ],
)
def test_a_password_is_long_and_not_everybodys_first_idea(password: str, fault: str | None) -> None:
    found = fault_of(password, email="anna.schmidt@example.org")

    assert (fault in str(found)) if fault else (found is None)


def test_the_refusal_is_one_sentence_without_the_password() -> None:
    with pytest.raises(InvalidInputError) as refusal:
        require_strength("password1234")

    assert "password1234" not in str(refusal.value)
    assert "use several unrelated words" in str(refusal.value)


@given(st.text())
def test_every_text_has_an_answer_and_the_limits_hold(password: str) -> None:
    fault = fault_of(password, email="a@example.org")

    size = len(password.encode("utf-8", "surrogatepass"))
    assert fault is not None or (len(password) >= SHORTEST_PASSWORD and size <= LONGEST_PASSWORD)
