"""Sessions, keys and counted failures as rows, on both databases."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest

from clawfeed.domain.errors import NotFoundError, QuotaError
from clawfeed.domain.ids import ApiKeyId, SessionId, UserId
from clawfeed.domain.people.login_throttle import NO_WAIT
from clawfeed.domain.people.users import Role, Scope, User
from clawfeed.storage.audit import Action, AuditLog
from clawfeed.storage.database import Database
from clawfeed.storage.drivers.connect import StorageConfig, open_database
from clawfeed.storage.people.access_retention import remove_stale_access
from clawfeed.storage.people.api_keys import MOST_KEYS, ApiKeys, NewKey
from clawfeed.storage.people.login_throttles import Throttles, account_counter, address_counter
from clawfeed.storage.people.one_time_links import OneTimeLinks
from clawfeed.storage.people.sessions import Sessions
from clawfeed.storage.people.users import NewUser, UserStore
from tests.support.clocks import NOON
from tests.support.hands import a_hand

MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
TOKEN = b"t" * 32


async def person(database: Database, name: str = "anna") -> User:
    new = NewUser(email=f"{name}@example.org", name=name, role=Role.USER)
    return await UserStore(database).add(new, now=NOON)


async def test_a_session_lives_while_it_is_used_but_not_for_ever(database: Database) -> None:
    """(T15): 14 days idle, 60 days in all."""
    sessions = Sessions(database)
    anna = await person(database)
    await sessions.add(anna.id, TOKEN, client="", now=NOON)

    ages = []
    for day in range(0, 80, 13):
        found = await sessions.find(TOKEN, now=NOON + day * DAY)
        if found is None:
            break
        ages.append(day)
        await sessions.see(found, now=NOON + day * DAY)

    assert ages == [0, 13, 26, 39, 52]


async def test_an_idle_session_is_over(database: Database) -> None:
    sessions = Sessions(database)
    anna = await person(database)
    await sessions.add(anna.id, TOKEN, client="", now=NOON)

    assert await sessions.find(TOKEN, now=NOON + 14 * DAY - MINUTE) is not None
    assert await sessions.find(TOKEN, now=NOON + 14 * DAY) is None
    assert await sessions.list(anna.id, now=NOON + 14 * DAY) == []


async def test_last_seen_is_written_every_five_minutes_at_most(database: Database) -> None:
    sessions = Sessions(database)
    anna = await person(database)
    await sessions.add(anna.id, TOKEN, client="", now=NOON)

    written = []
    for minutes in (1, 4, 5, 7, 10):
        found = await sessions.find(TOKEN, now=NOON)
        assert found is not None
        await sessions.see(found, now=NOON + minutes * MINUTE)
        [now_there] = await sessions.list(anna.id, now=NOON)
        written.append((now_there.last_seen_at - NOON) / MINUTE)

    assert written == [0, 0, 5, 5, 10]


async def test_a_person_ends_their_own_sessions_and_nobody_elses(database: Database) -> None:
    """(T13)."""
    sessions = Sessions(database)
    anna, ben = await person(database), await person(database, "ben")
    annas = [
        await sessions.add(anna.id, bytes([n]) * 32, client=f"browser {n}", now=NOON)
        for n in range(3)
    ]
    bens = await sessions.add(ben.id, TOKEN, client="", now=NOON)

    with pytest.raises(NotFoundError):
        await sessions.revoke(anna.id, bens)
    await sessions.revoke(anna.id, annas[0])
    await sessions.end_all(anna.id, but=annas[2])

    assert [each.id for each in await sessions.list(anna.id, now=NOON)] == [annas[2]]
    assert await sessions.end(TOKEN) == ben.id
    assert await sessions.end(TOKEN) is None
    with pytest.raises(NotFoundError):
        await sessions.revoke(ben.id, SessionId(bens))


def key(owner: UserId, number: int = 0, scope: Scope = Scope.READ) -> NewKey:
    return NewKey(
        user_id=owner,
        name=f"key {number}",
        key_id=f"id{number:06}",
        key_hash=bytes([number]) * 32,
        last4="abcd",
        scope=scope,
        expires_at=NOON + 365 * DAY,
    )


async def test_a_key_is_valid_until_it_expires_is_revoked_or_its_owner_is_disabled(
    database: Database,
) -> None:
    keys = ApiKeys(database)
    anna, ben = await person(database), await person(database, "ben")
    annas = await keys.add(key(anna.id), a_hand())
    await keys.add(key(ben.id, 1, Scope.WRITE), a_hand())

    found = await keys.find("id000000")
    assert found is not None
    assert (found.user, found.scope, found.key_hash) == (anna, Scope.READ, bytes(32))
    assert found.is_valid(NOON)
    assert not found.is_valid(NOON + 365 * DAY)
    await keys.revoke(annas, a_hand(), owner=anna.id)
    await UserStore(database).change(ben.id, is_disabled=True, now=NOON)

    for key_id in ("id000000", "id000001"):
        ended = await keys.find(key_id)
        assert ended is not None
        assert not ended.is_valid(NOON)
    assert await keys.find("id000009") is None
    assert [each.name for each in await keys.list()] == ["key 1"]


async def test_a_key_is_revoked_by_its_owner_once(database: Database) -> None:
    """(T13)."""
    keys = ApiKeys(database)
    anna, ben = await person(database), await person(database, "ben")
    annas = await keys.add(key(anna.id), a_hand())

    with pytest.raises(NotFoundError):
        await keys.revoke(annas, a_hand(), owner=ben.id)
    still_there = await keys.list(anna.id)
    await keys.revoke(annas, a_hand(), owner=anna.id)

    assert [each.id for each in still_there] == [annas]
    assert await keys.list(anna.id) == []
    for gone in (annas, ApiKeyId(99)):
        with pytest.raises(NotFoundError, match=f"there is no API key {gone}"):
            await keys.revoke(gone, a_hand())


async def test_a_person_has_twenty_keys_at_most_even_at_once(database: Database) -> None:
    """(T26)."""
    keys = ApiKeys(database)
    anna, ben = await person(database), await person(database, "ben")

    results = await asyncio.gather(
        *(keys.add(key(anna.id, n), a_hand()) for n in range(MOST_KEYS + 3)),
        return_exceptions=True,
    )

    refused = [result for result in results if isinstance(result, QuotaError)]
    assert len(refused) == 3
    assert "revoke one first" in str(refused[0])
    assert len(await keys.list(anna.id)) == MOST_KEYS
    await keys.add(key(ben.id, 99), a_hand())
    # Expired ones do not count.
    await keys.add(key(anna.id, 98), a_hand(NOON + 366 * DAY))


async def test_last_used_is_written_every_five_minutes_at_most(database: Database) -> None:
    keys = ApiKeys(database)
    anna = await person(database)
    await keys.add(key(anna.id), a_hand())

    written = []
    for minutes in (0, 4, 5, 9):
        found = await keys.find("id000000")
        assert found is not None
        await keys.use(found, now=NOON + minutes * MINUTE)
        [now_there] = await keys.list(anna.id)
        assert now_there.last_used_at is not None
        written.append((now_there.last_used_at - NOON) / MINUTE)

    assert written == [0, 0, 5, 5]


async def test_attempts_at_the_same_moment_are_all_counted(
    database: Database, database_url: str
) -> None:
    """(T14): two processes, fifty guesses at once, five are looked at."""
    other = await open_database(StorageConfig(url=database_url))
    counters = [account_counter("anna@example.org")]

    waits = await asyncio.gather(
        *(
            Throttles(database if number % 2 else other).enter(counters, now=NOON)
            for number in range(50)
        )
    )
    await other.close()

    assert sum(wait == NO_WAIT for wait in waits) == 5


async def test_who_waits_at_one_counter_is_counted_at_none(database: Database) -> None:
    throttles = Throttles(database)
    account, address = account_counter("anna@example.org"), address_counter("192.0.2.1")
    for _ in range(5):
        await throttles.enter([account], now=NOON)

    for _ in range(30):
        waiting = await throttles.enter([account, address], now=NOON)

    assert waiting == timedelta(seconds=1)
    assert await throttles.waiting(address, now=NOON) == NO_WAIT
    assert await throttles.waiting(account, now=NOON) == timedelta(seconds=1)


async def test_success_forgives_the_account_and_takes_back_one_from_the_address(
    database: Database,
) -> None:
    throttles = Throttles(database)
    account, address = account_counter("Anna@example.org "), address_counter("192.0.2.1")
    for _ in range(4):
        await throttles.enter([account, address], now=NOON)

    await throttles.enter([account, address], now=NOON)
    await throttles.succeed([account, address])

    for _ in range(5):
        assert await throttles.enter([account], now=NOON) == NO_WAIT
    for _ in range(16):
        assert await throttles.enter([address], now=NOON) == NO_WAIT
    assert await throttles.enter([address], now=NOON) == timedelta(seconds=3)


async def test_what_opens_nothing_any_more_is_removed(database: Database) -> None:
    anna = await person(database)
    await Sessions(database).add(anna.id, TOKEN, client="", now=NOON)
    await OneTimeLinks(database).add(anna.id, TOKEN, now=NOON)
    await Throttles(database).enter([address_counter("192.0.2.1")], now=NOON)
    await AuditLog(database).add(Action.SIGNED_IN, user_id=anna.id, now=NOON)
    tables = ("sessions", "one_time_links", "throttles", "audit_log")

    left = {}
    for days in (0, 2, 15, 366):
        await remove_stale_access(database, now=NOON + days * DAY)
        left[days] = {table for table in tables if await database.read(f"SELECT 1 FROM {table}")}

    assert left == {
        0: set(tables),
        2: {"sessions", "audit_log"},
        15: {"audit_log"},
        366: set(),
    }
