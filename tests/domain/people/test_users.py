"""People and their roles."""

from __future__ import annotations

from dataclasses import replace

from clawfeed.domain.ids import UserId
from clawfeed.domain.people.users import Role, User

ADA = User(id=UserId(1), email="ada@example.org", name="Ada", slug="ada", role=Role.ADMIN)


def test_a_disabled_admin_is_no_admin() -> None:
    assert ADA.is_admin
    assert not replace(ADA, is_disabled=True).is_admin
    assert not replace(ADA, role=Role.USER).is_admin
