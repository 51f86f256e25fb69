"""Signing in, out and up, without HTTP in between."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest
from fastapi import HTTPException

from clawfeed.auth.client_address import Client
from clawfeed.auth.password_hashing import Passwords
from clawfeed.auth.tokens import hash_of
from clawfeed.domain.errors import AlreadyExistsError, InvalidInputError, NotAllowedError
from clawfeed.domain.people.users import Caller, Role, Scope, User
from clawfeed.storage.audit import AuditLog
from clawfeed.storage.database import Database
from clawfeed.storage.people.sessions import Sessions
from clawfeed.storage.people.users import LOCAL_ADMIN, UserStore
from tests.auth.auth_server import PASSWORD, QUICK, SITE, AuthServer
from tests.support.clocks import NOON

LAPTOP = Client(address="192.0.2.1", agent="Firefox")
ANNA = "anna@example.org"


async def lives(house: AuthServer, token: str) -> bool:
    return await Sessions(house.database).find(hash_of(token), now=house.clock()) is not None


async def test_a_login_opens_a_new_session_and_ends_the_browsers_old_one(
    database: Database,
) -> None:
    """(T15): no session is fixed beforehand."""
    house = AuthServer(database=database)
    await house.add("anna")
    signing_in = house.signing_in()

    first = await signing_in.login(" Anna@Example.org", PASSWORD, LAPTOP)
    second = await signing_in.login(ANNA, PASSWORD, LAPTOP, old_token=first.token)
    elsewhere = await signing_in.login(ANNA, PASSWORD, LAPTOP)

    assert len({first.token, second.token, elsewhere.token}) == 3
    assert [await lives(house, each.token) for each in (first, second, elsewhere)] == [
        False,
        True,
        True,
    ]
    assert first.token not in repr(first)


async def test_strangers_and_wrong_passwords_are_told_the_same(database: Database) -> None:
    """(T14)."""
    house = AuthServer(database=database)
    await house.add("anna")
    disabled = await house.add("ben")
    await UserStore(database).change(disabled.id, is_disabled=True, now=NOON)
    tries = [
        (ANNA, "a wrong password"),
        (ANNA, ""),
        (ANNA, "x" * 5000),
        ("ben@example.org", PASSWORD),
        ("nobody@example.org", PASSWORD),
        ("no address\r\nat all", PASSWORD),
    ]

    told = set()
    for email, password in tries:
        with pytest.raises(HTTPException) as refusal:
            await house.signing_in().login(email, password, LAPTOP)
        told.add((refusal.value.status_code, str(refusal.value.detail)))

    assert told == {(401, "the e-mail address or the password is wrong")}


async def test_an_account_is_braked_after_five_slips_wherever_they_come_from(
    database: Database,
) -> None:
    """(T14): the wait doubles, ends, and a right password forgives."""
    house = AuthServer(database=database)
    await house.add("anna")
    signing_in = house.signing_in()

    async def attempt(number: int, password: str = "wrong") -> int:  # noqa: S107
        client = Client(address=f"203.0.113.{number}")
        try:
            await signing_in.login(ANNA, password, client)
        except HTTPException as refusal:
            return refusal.status_code
        return 200

    first = [await attempt(number) for number in range(6)]
    right_too_early = await attempt(7, PASSWORD)
    house.clock.advance(timedelta(seconds=1))
    right_in_time = await attempt(8, PASSWORD)
    afterwards = [await attempt(number) for number in range(10, 15)]

    assert first == [401] * 5 + [429]
    assert (right_too_early, right_in_time) == (429, 200)
    assert afterwards == [401] * 5


async def test_a_cheaper_hash_is_made_anew_at_the_next_login(database: Database) -> None:
    """(RELIABILITY 6)."""
    house = AuthServer(database=database)
    anna = await house.add("anna")
    house.passwords = Passwords(memory_kib=128)
    before = (await UserStore(database).get(anna.id)).password_hash

    await house.signing_in().login(ANNA, PASSWORD, LAPTOP)
    await house.signing_in().login(ANNA, PASSWORD, LAPTOP)

    after = (await UserStore(database).get(anna.id)).password_hash
    assert before is not None
    assert after is not None
    assert "m=64," in before
    assert "m=128," in after


async def test_the_first_login_is_welcomed_once(database: Database) -> None:
    """(S001-15)."""
    house = AuthServer(database=database)
    anna = await house.add("anna")

    for _ in range(3):
        await house.signing_in().login(ANNA, PASSWORD, LAPTOP)

    assert house.welcomed == [anna]


async def test_a_failed_welcome_is_repeated_at_the_next_login(database: Database) -> None:
    calls: list[User] = []

    async def fails_once(user: User) -> None:
        calls.append(user)
        if len(calls) == 1:
            raise AlreadyExistsError("the default pack is being changed")

    house = AuthServer(database=database, welcome=fails_once)
    anna = await house.add("anna")
    signing_in = house.signing_in()
    with pytest.raises(AlreadyExistsError):
        await signing_in.login(ANNA, PASSWORD, LAPTOP)
    await signing_in.login(ANNA, PASSWORD, LAPTOP)
    await signing_in.login(ANNA, PASSWORD, LAPTOP)

    assert calls == [anna, anna]


async def test_a_changed_password_ends_every_other_session(database: Database) -> None:
    """(T15)."""
    house = AuthServer(database=database)
    anna = await house.add("anna")
    signing_in = house.signing_in()
    here, there = [await signing_in.login(ANNA, PASSWORD, LAPTOP) for _ in range(2)]
    session = await Sessions(database).find(hash_of(here.token), now=NOON)
    assert session is not None
    caller = Caller(user=anna, scope=Scope.WRITE, session=session.id, signed_in_at=NOON)

    with pytest.raises(NotAllowedError, match="current password is wrong"):
        await signing_in.change_password(caller, "wrong", "another four words here", LAPTOP)
    with pytest.raises(InvalidInputError, match="easy to guess"):
        await signing_in.change_password(caller, PASSWORD, "password1234", LAPTOP)
    both = [await lives(house, each.token) for each in (here, there)]
    await signing_in.change_password(caller, PASSWORD, "another four words here", LAPTOP)

    assert both == [True, True]
    assert [await lives(house, each.token) for each in (here, there)] == [True, False]
    with pytest.raises(HTTPException):
        await signing_in.login(ANNA, PASSWORD, LAPTOP)
    await signing_in.login(ANNA, "another four words here", LAPTOP)


def token_in(link: str | None) -> str:
    assert link is not None
    assert link.startswith(f"{SITE}/setup/")
    return link.rpartition("/")[2]


async def test_the_first_admin_comes_in_by_a_link_that_each_start_renews(
    database: Database,
) -> None:
    """(settled question 14): no default password, no Google needed."""
    house = AuthServer(database=database)

    old, new = [token_in(await house.signing_in().first_admin_link()) for _ in range(2)]
    with pytest.raises(Exception, match="ask for a new one"):
        await house.signing_in().setup(old, PASSWORD, LAPTOP)
    session = await house.signing_in().setup(
        new, PASSWORD, LAPTOP, email="Me@Example.org", name="Me"
    )

    assert (session.user.email, session.user.name, session.user.role) == (
        "me@example.org",
        "Me",
        Role.ADMIN,
    )
    assert await house.signing_in().first_admin_link() is None
    assert await lives(house, session.token)
    with pytest.raises(Exception, match="ask for a new one"):
        await house.signing_in().setup(new, PASSWORD, LAPTOP)


async def test_a_weak_password_does_not_spend_the_link(database: Database) -> None:
    house = AuthServer(database=database)
    token = token_in(await house.signing_in().first_admin_link())

    with pytest.raises(InvalidInputError):
        await house.signing_in().setup(token, "short", LAPTOP)

    assert (await house.signing_in().link_owner(token)).email == LOCAL_ADMIN


async def test_who_was_invited_keeps_their_address(database: Database) -> None:
    """Nobody claims somebody else's address with a link for their own."""
    house = AuthServer(database=database)
    ben = await house.add("ben")
    token = token_in(await house.signing_in().link_for(ben))

    with pytest.raises(InvalidInputError, match=r"this link is for ben@example\.org"):
        await house.signing_in().setup(token, PASSWORD, LAPTOP, email="boss@example.org")
    session = await house.signing_in().setup(token, PASSWORD, LAPTOP, email="BEN@example.org")

    assert session.user.email == "ben@example.org"


async def test_registration_is_off_until_it_is_wanted(database: Database) -> None:
    house = AuthServer(database=database)
    with pytest.raises(NotAllowedError, match="takes no registrations"):
        await house.signing_in().register(ANNA, PASSWORD, None, LAPTOP)

    house.may_register = True
    session = await house.signing_in().register(ANNA, PASSWORD, None, LAPTOP)

    assert (session.user.name, session.user.role) == ("anna", Role.USER)
    assert house.welcomed == [session.user]
    with pytest.raises(AlreadyExistsError):
        await house.signing_in().register(ANNA, PASSWORD, None, LAPTOP)


async def test_what_happened_at_the_doors_is_in_the_audit_log_without_what_was_typed(
    database: Database,
) -> None:
    """(T17)."""
    house = AuthServer(database=database)
    anna = await house.add("anna")
    signing_in = house.signing_in()

    session = await signing_in.login(ANNA, PASSWORD, LAPTOP)
    await signing_in.logout(session.token, LAPTOP)
    for email in (ANNA, "my-password-in-the-wrong-field"):
        with pytest.raises(HTTPException):
            await signing_in.login(email, "typed-in-vain", LAPTOP)

    events = await AuditLog(database).list(limit=10)
    assert [(event.action, event.user_id) for event in reversed(events)] == [
        ("signed_in", anna.id),
        ("signed_out", anna.id),
        ("sign_in_failed", anna.id),
        ("sign_in_failed", None),
    ]
    assert {event.client for event in events} == {"192.0.2.1 Firefox"}
    assert "wrong-field" not in repr(events)
    assert "in-vain" not in repr(events)


async def test_many_logins_at_once_all_get_an_answer(database: Database) -> None:
    """(T14): nobody slips past the brake by coming at the same moment."""
    house = AuthServer(database=database)
    await house.add("anna")
    signing_in = house.signing_in()

    results = await asyncio.gather(
        *(
            signing_in.login(ANNA, "wrong", Client(address=f"198.51.100.{number}"))
            for number in range(40)
        ),
        return_exceptions=True,
    )

    statuses = [r.status_code for r in results if isinstance(r, HTTPException)]
    assert sorted(statuses) == [401] * 5 + [429] * 35


def test_the_quick_hasher_is_for_tests_alone() -> None:
    assert QUICK.is_outdated(Passwords().hash_now(PASSWORD))
