"""The brake on guessing: it slows guessers down and never keeps out who is right (T14)."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Sequence
from datetime import timedelta
from ipaddress import ip_network

from clawfeed.auth.client_address import Client as From
from clawfeed.auth.password_hashing import Passwords
from clawfeed.auth.tokens import hash_of, new_key
from clawfeed.domain.people.users import Role
from clawfeed.storage.database import Database
from clawfeed.storage.drivers.connect import StorageConfig, open_database
from clawfeed.storage.people.known_devices import DEVICE_LIFETIME, MOST_DEVICES, KnownDevices
from tests.auth.auth_server import OPERATORS_KEY, PASSWORD, AuthServer, Browser, bearer
from tests.auth.test_authentication import ME, make_key
from tests.support.clocks import NOON
from tests.support.socket_server import Answer, Client

LOGIN = "/api/auth/login"


async def guess(client: Client, count: int, *, email: str = "", **headers: str) -> list[Answer]:
    """Wrong passwords, for an account of nobody's each time unless *email* is given."""
    return [
        await client.post(
            LOGIN, headers, {"email": email or f"x{n}@example.org", "password": "wrong"}
        )
        for n in range(count)
    ]


def statuses(answers: Sequence[Answer]) -> list[int]:
    return [answer.status for answer in answers]


async def test_an_address_is_braked_in_every_process(database: Database, database_url: str) -> None:
    other = await open_database(StorageConfig(url=database_url))
    house, twin = AuthServer(database=database), AuthServer(database=other)

    async with house.opened() as one, twin.opened() as two:
        tried = [*await guess(one, 10), *await guess(two, 10)]
        braked = [*await guess(one, 1), *await guess(two, 1)]
    await other.close()

    assert statuses(tried) == [401] * 20
    assert statuses(braked) == [429, 429]
    assert {answer.headers["retry-after"] for answer in braked} == {"3"}


async def test_whoever_is_right_comes_in_whatever_their_neighbours_tried(
    database: Database,
) -> None:
    """A proxy makes everybody one address: passwords, keys and links that are right still pass."""
    house = AuthServer(database=database)
    anna = await house.add("anna")
    await house.add("root", Role.ADMIN)
    key = await make_key(house, "anna")
    link = await house.signing_in().link_for(anna)

    async with house.opened() as client:
        wrong = await guess(client, 25)
        right = [
            await Browser(client).login("anna"),
            await client.get(ME, bearer(key)),
            await client.get(ME, bearer(OPERATORS_KEY)),
            await client.get(f"/setup/{link.rpartition('/')[2]}"),
        ]
        still = await guess(client, 1)

    assert wrong[-1].status == 429
    assert statuses(right) == [200] * 4
    assert still[0].status == 429


async def test_wrong_keys_are_wrong_and_brake_nobody(database: Database) -> None:
    """Nobody guesses 256 bits; a script with a revoked key must not slow its neighbours down."""
    house = AuthServer(database=database)
    await house.add("anna")

    async with house.opened() as client:
        keys = [await client.get(ME, bearer(new_key().text)) for _ in range(25)]
        keys += [await client.get(ME, bearer("wrong")) for _ in range(25)]
        typo = await Browser(client).login("anna", "wrong")

    assert set(statuses(keys)) == {401}
    assert typo.status == 401


async def test_nobody_is_locked_out_of_a_browser_they_signed_in_with(database: Database) -> None:
    """Whoever guesses elsewhere brakes strangers; the browser that was in counts for itself."""
    house = AuthServer(database=database, trusted_proxies=(ip_network("127.0.0.0/8"),))
    await house.add("anna")
    await house.add("ben")

    async with house.opened() as client:
        annas = Browser(client)
        await annas.login("anna")
        await annas.post("/api/auth/logout")
        elsewhere = {"X-Forwarded-For": "203.0.113.9"}
        attack = await guess(client, 10, email="anna@example.org", **elsewhere)
        stranger = await Browser(client).login("anna")
        known = await annas.login("anna")
        await annas.post("/api/auth/logout")
        bens = [await annas.login("ben", "wrong") for _ in range(6)]
        own = [await annas.login("anna", "wrong") for _ in range(6)]

    assert statuses(attack) == [401] * 5 + [429] * 5
    assert (stranger.status, known.status) == (429, 200)
    # It is no way round the brake: neither for others' accounts nor for one's own.
    assert statuses(bens) == statuses(own) == [401] * 5 + [429]


async def test_a_flood_waits_in_a_short_line_and_never_takes_every_hasher(
    database: Database,
) -> None:
    """(T26): what is over the limit is checked one at a time, and the rest is told at once."""

    class Held(Passwords):
        """Hashes nothing until it may; remembers how many came at once."""

        def __init__(self) -> None:
            super().__init__(memory_kib=64)
            self.may = asyncio.Event()
            self.now, self.most, self.all = 0, 0, 0

        async def verify(self, password_hash: str | None, password: str) -> bool:
            self.now, self.all = self.now + 1, self.all + 1
            self.most = max(self.most, self.now)
            await self.may.wait()
            self.now -= 1
            return await super().verify(password_hash, password)

    held = Held()
    async with AuthServer(database=database).opened() as client:
        await guess(client, 20)
    async with AuthServer(database=database, passwords=held).opened() as client:
        tries = [asyncio.create_task(guess(client, 1, email=f"y{n}@a.example")) for n in range(60)]
        for answered in itertools.islice(asyncio.as_completed(tries), 50):
            await answered
        held.may.set()
        flood = await asyncio.gather(*tries)

    assert {answer.status for [answer] in flood} == {429}
    assert (held.most, held.all) == (1, 10)
    # Those who were sent away left nothing behind, and those in line nothing in the audit log.
    [rows] = await database.read(
        "SELECT (SELECT count(*) FROM throttles) AS counters,"
        " (SELECT count(*) FROM audit_log) AS events"
    )
    assert (rows["counters"], rows["events"]) == (1 + 20 + 10, 20)


async def test_behind_a_trusted_proxy_each_client_is_counted_alone(database: Database) -> None:
    """(T27)."""
    house = AuthServer(database=database, trusted_proxies=(ip_network("127.0.0.0/8"),))

    async with house.opened() as client:
        guesser = await guess(client, 21, **{"X-Forwarded-For": "203.0.113.1"})
        neighbour = await guess(client, 1, **{"X-Forwarded-For": "203.0.113.2"})

    assert (guesser[-1].status, neighbour[0].status) == (429, 401)


async def test_without_a_trusted_proxy_nobody_hides_behind_a_header(database: Database) -> None:
    """(T27)."""
    async with AuthServer(database=database).opened() as client:
        for number in range(21):
            [last] = await guess(client, 1, **{"X-Forwarded-For": f"203.0.113.{number}"})

    assert last.status == 429


async def test_signing_out_everywhere_ends_every_session_and_forgets_every_browser(
    database: Database,
) -> None:
    house = AuthServer(database=database)
    anna = await house.add("anna")

    async with house.opened() as client:
        here, there = Browser(client), Browser(client)
        await here.login("anna")
        await there.login("anna")
        token = there.cookies["__Host-device"]
        before = await KnownDevices(database).knows(hash_of(token), anna.id, now=NOON)
        left = await here.ask("DELETE", "/api/auth/sessions")
        after = [await here.get(ME), await there.get(ME)]

    assert (before, left.status) == (True, 204)
    assert statuses(after) == [401, 401]
    assert not await KnownDevices(database).knows(hash_of(token), anna.id, now=NOON)


async def test_a_browser_has_one_name_at_a_time_and_a_person_so_many_browsers(
    database: Database,
) -> None:
    """(T26): the name is new at each sign-in, and serves everybody who signed in there."""
    house = AuthServer(database=database)
    anna, ben = await house.add("anna"), await house.add("ben")
    signing_in, laptop = house.signing_in(), From(address="192.0.2.1")
    known = KnownDevices(database)

    first = await signing_in.login("anna@example.org", PASSWORD, laptop)
    second = await signing_in.login("ben@example.org", PASSWORD, laptop, device=first.device)
    names = [(device, user) for device in (first.device, second.device) for user in (anna, ben)]
    knows = [await known.knows(hash_of(device), user.id, now=NOON) for device, user in names]
    for number in range(MOST_DEVICES):
        later = NOON + timedelta(seconds=1 + number)
        await known.remember(anna.id, f"{number}".encode(), before=None, now=later)
    pushed_out = await known.knows(hash_of(second.device), anna.id, now=NOON)
    too_old = await known.knows(hash_of(second.device), ben.id, now=NOON + DEVICE_LIFETIME)

    assert knows == [False, False, True, True]
    assert (pushed_out, too_old) == (False, False)
