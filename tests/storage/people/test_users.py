"""Accounts, links and the audit log as rows, on both databases."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest

from clawfeed.domain.errors import AlreadyExistsError, NotAllowedError, NotFoundError
from clawfeed.domain.ids import UserId
from clawfeed.domain.people.users import Role, User
from clawfeed.storage.audit import Action, AuditLog
from clawfeed.storage.database import Database
from clawfeed.storage.people.one_time_links import OneTimeLinks, PasswordSetup
from clawfeed.storage.people.sessions import Sessions
from clawfeed.storage.people.users import LOCAL_ADMIN, NewUser, UserStore
from tests.support.clocks import NOON

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
HASH = "$argon2id$of-a-password"


async def add(database: Database, name: str, role: Role = Role.USER) -> User:
    new = NewUser(email=f"{name}@example.org", name=name, role=role)
    return await UserStore(database).add(new, now=NOON)


async def test_an_account_is_found_by_its_address_and_by_its_id(database: Database) -> None:
    anna = await add(database, "anna")

    found = await UserStore(database).find("anna@example.org")

    assert found is not None
    assert found == await UserStore(database).get(anna.id)
    assert (found.user, found.password_hash, found.first_login_at) == (anna, None, None)
    assert await UserStore(database).find("ben@example.org") is None
    with pytest.raises(NotFoundError, match="there is no user 99"):
        await UserStore(database).get(UserId(99))


async def test_one_address_has_one_account(database: Database) -> None:
    await add(database, "anna")

    with pytest.raises(AlreadyExistsError, match=r"anna@example\.org has an account already"):
        await add(database, "anna")


async def test_people_of_one_name_have_slugs_of_their_own(database: Database) -> None:
    people = UserStore(database)

    added = await asyncio.gather(
        *(people.add(NewUser(email=f"{n}@x.example", name="Li Lei"), now=NOON) for n in range(5))
    )

    assert {user.slug for user in added} == {"li-lei", *(f"li-lei-{n}" for n in range(2, 6))}


async def test_the_oldest_active_admin_is_the_operators(database: Database) -> None:
    """(settled question 14)."""
    people = UserStore(database)
    await add(database, "anna")
    first, second = await add(database, "ben", Role.ADMIN), await add(database, "eve", Role.ADMIN)

    before = await people.oldest_admin()
    await people.change(first.id, is_disabled=True, now=NOON)
    after = await people.oldest_admin()

    assert (before, after) == (first, second)


async def test_a_local_admin_is_made_once_and_only_if_nobody_administers(
    database: Database,
) -> None:
    """(settled question 14)."""
    people = UserStore(database)

    one, two = await asyncio.gather(people.local_admin(now=NOON), people.local_admin(now=NOON))

    assert one == two
    assert (one.email, one.role) == (LOCAL_ADMIN, Role.ADMIN)
    assert not await people.has_admin_who_can_sign_in()
    await people.set_password(one.id, HASH, now=NOON)
    assert await people.has_admin_who_can_sign_in()


async def test_a_changed_role_and_a_disabled_account_end_the_sessions(database: Database) -> None:
    """(T15): they were opened with other rights."""
    people, sessions = UserStore(database), Sessions(database)
    anna, ben = await add(database, "anna"), await add(database, "ben")
    for number, user in enumerate([anna, ben, anna]):
        await sessions.add(user.id, bytes([number]) * 32, client="", now=NOON)

    admin = await people.change(anna.id, role=Role.ADMIN, now=NOON)
    disabled = await people.change(ben.id, is_disabled=True, now=NOON)

    assert (admin.is_admin, disabled.is_disabled) == (True, True)
    assert await sessions.list(anna.id, now=NOON) == []
    assert await sessions.list(ben.id, now=NOON) == []
    assert not (await people.change(ben.id, is_disabled=False, now=NOON)).is_disabled


@pytest.mark.parametrize("change", [{}, {"role": Role.USER}, {"is_disabled": False}])
async def test_what_changes_nothing_signs_nobody_out(
    database: Database, change: dict[str, Role | bool]
) -> None:
    people, sessions = UserStore(database), Sessions(database)
    anna = await add(database, "anna")
    await sessions.add(anna.id, bytes(32), client="", now=NOON)

    await people.change(anna.id, now=NOON, **change)  # type: ignore[arg-type] # either

    assert len(await sessions.list(anna.id, now=NOON)) == 1


@pytest.mark.parametrize("change", [{"role": Role.USER}, {"is_disabled": True}])
async def test_the_last_admin_stays(database: Database, change: dict[str, Role | bool]) -> None:
    people = UserStore(database)
    admin = await add(database, "anna", Role.ADMIN)

    with pytest.raises(NotAllowedError, match="make somebody else an admin first"):
        await people.change(admin.id, now=NOON, **change)  # type: ignore[arg-type] # either

    assert (await people.get(admin.id)).user.is_admin


async def test_two_admins_who_demote_each_other_do_not_both_succeed(database: Database) -> None:
    people = UserStore(database)
    one, two = await add(database, "anna", Role.ADMIN), await add(database, "ben", Role.ADMIN)

    results = await asyncio.gather(
        *(people.change(user.id, role=Role.USER, now=NOON) for user in (one, two)),
        return_exceptions=True,
    )

    assert sorted(type(result).__name__ for result in results) == ["NotAllowedError", "User"]
    assert await people.oldest_admin() is not None


async def test_a_first_login_is_marked_once(database: Database) -> None:
    people = UserStore(database)
    anna = await add(database, "anna")

    await people.mark_first_login(anna.id, now=NOON)
    await people.mark_first_login(anna.id, now=NOON + DAY)

    assert (await people.get(anna.id)).first_login_at == NOON


async def test_a_link_works_once_and_ends_the_sessions(database: Database) -> None:
    links, sessions = OneTimeLinks(database), Sessions(database)
    anna = await add(database, "anna")
    await sessions.add(anna.id, b"s" * 32, client="", now=NOON)
    await links.add(anna.id, b"l" * 32, now=NOON)
    chosen = PasswordSetup(password_hash=HASH, name="Anna S.")

    results = await asyncio.gather(
        *(links.use(b"l" * 32, chosen, now=NOON) for _ in range(3)), return_exceptions=True
    )

    assert [r.name for r in results if isinstance(r, User)] == ["Anna S."]
    assert [type(r) for r in results if not isinstance(r, User)] == [NotFoundError] * 2
    assert (await UserStore(database).get(anna.id)).password_hash == HASH
    assert await sessions.list(anna.id, now=NOON) == []


async def test_a_link_ends_after_a_day_and_when_a_newer_one_is_made(database: Database) -> None:
    links = OneTimeLinks(database)
    anna = await add(database, "anna")
    await links.add(anna.id, b"a" * 32, now=NOON)
    await links.add(anna.id, b"b" * 32, now=NOON)

    assert await links.find(b"b" * 32, now=NOON + 23 * HOUR) == anna
    for token_hash, now in [(b"a" * 32, NOON), (b"b" * 32, NOON + DAY), (b"c" * 32, NOON)]:
        with pytest.raises(NotFoundError, match="ask for a new one"):
            await links.find(token_hash, now=now)
        with pytest.raises(NotFoundError):
            await links.use(token_hash, PasswordSetup(password_hash=HASH), now=now)


async def test_a_link_that_would_take_anothers_address_stays_unspent(database: Database) -> None:
    links = OneTimeLinks(database)
    await add(database, "anna")
    ben = await add(database, "ben")
    await links.add(ben.id, b"l" * 32, now=NOON)

    with pytest.raises(AlreadyExistsError):
        await links.use(
            b"l" * 32, PasswordSetup(password_hash=HASH, email="anna@example.org"), now=NOON
        )

    assert await links.find(b"l" * 32, now=NOON) == ben


async def test_the_audit_log_is_read_in_pages_from_the_newest(database: Database) -> None:
    log = AuditLog(database)
    anna = await add(database, "anna")
    for number in range(5):
        await log.add(Action.KEY_CREATED, user_id=anna.id, detail=f"key {number}", now=NOON)

    first = await log.list(limit=3)
    rest = await log.list(limit=3, before=first[-1].id)

    assert [event.detail for event in (*first, *rest)] == [f"key {n}" for n in (4, 3, 2, 1, 0)]
    assert {(event.user_id, event.at) for event in first} == {(anna.id, NOON)}
