"""Identities and sign-ins under way as rows, on both databases."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest

from clawfeed.domain.errors import AlreadyExistsError
from clawfeed.domain.people.users import Role
from clawfeed.storage.database import Database
from clawfeed.storage.people.access_retention import remove_stale_access
from clawfeed.storage.people.oidc_flows import FLOW_LIFETIME, OidcFlow, OidcFlows
from clawfeed.storage.people.oidc_identities import Identities
from clawfeed.storage.people.users import IdentityKey, NewUser, UserStore
from tests.support.clocks import NOON

KEY = IdentityKey(issuer="https://id.example", subject="1")
OTHER = IdentityKey(issuer="https://id.example", subject="2")
ANNA = NewUser(email="anna@example.org", name="Anna")
FLOW = OidcFlow(
    state_hash=b"s" * 32,
    browser_hash=b"b" * 32,
    nonce_hash=b"n" * 32,
    provider="sso",
    code_verifier="v",
    next_path="/items",
)
SECOND = timedelta(seconds=1)


async def test_an_identity_finds_its_account_by_issuer_and_subject(database: Database) -> None:
    identities = Identities(database)
    anna = await identities.add(ANNA, KEY, now=NOON)

    assert await identities.find(KEY) == anna
    assert await identities.find(OTHER) is None
    assert await identities.find(IdentityKey(issuer="https://id.example/", subject="1")) is None


async def test_whoever_comes_by_an_identity_is_a_user(database: Database) -> None:
    """(T13)."""
    boss = NewUser(email="boss@example.org", name="Boss", role=Role.ADMIN)

    user = await Identities(database).add(boss, KEY, now=NOON)

    assert user.role is Role.USER


async def test_an_address_and_an_identity_have_one_account_each(database: Database) -> None:
    identities = Identities(database)
    await identities.add(ANNA, KEY, now=NOON)
    ben = NewUser(email="ben@example.org", name="Ben")

    for new, key in ((ANNA, OTHER), (ben, KEY)):
        with pytest.raises(AlreadyExistsError):
            await identities.add(new, key, now=NOON)

    assert len(await UserStore(database).list()) == 1


async def test_two_of_one_name_get_slugs_of_their_own(database: Database) -> None:
    identities = Identities(database)
    namesake = NewUser(email="anna@example.com", name="Anna")

    users = await asyncio.gather(
        identities.add(ANNA, KEY, now=NOON), identities.add(namesake, OTHER, now=NOON)
    )

    assert {user.slug for user in users} == {"anna", "anna-2"}


async def test_an_account_is_linked_once(database: Database) -> None:
    identities = Identities(database)
    anna = await UserStore(database).add(ANNA, now=NOON)

    linked = await identities.link(ANNA.email, KEY, now=NOON)
    again = await identities.link(ANNA.email, OTHER, now=NOON)
    nobody = await identities.link("nobody@example.org", OTHER, now=NOON)

    assert (linked, again, nobody) == (anna, None, None)
    assert await identities.find(KEY) == anna


async def test_an_identity_that_opens_one_account_is_not_linked_to_a_second(
    database: Database,
) -> None:
    identities = Identities(database)
    anna = await identities.add(ANNA, KEY, now=NOON)
    await UserStore(database).add(NewUser(email="ben@example.org", name="Ben"), now=NOON)

    assert await identities.link("ben@example.org", KEY, now=NOON) is None
    assert await identities.find(KEY) == anna


async def test_a_disabled_account_is_not_linked(database: Database) -> None:
    anna = await UserStore(database).add(ANNA, now=NOON)
    await UserStore(database).change(anna.id, is_disabled=True, now=NOON)

    assert await Identities(database).link(ANNA.email, KEY, now=NOON) is None


async def test_a_sign_in_under_way_is_taken_once(database: Database) -> None:
    """(T16), even by many at the same moment."""
    flows = OidcFlows(database)
    await flows.begin(FLOW, now=NOON)

    taken = await asyncio.gather(*(flows.take(FLOW.state_hash, now=NOON) for _ in range(5)))

    assert sorted(map(repr, taken)) == sorted([repr(FLOW), *["None"] * 4])
    assert FLOW in taken


async def test_a_sign_in_under_way_lasts_ten_minutes(database: Database) -> None:
    flows = OidcFlows(database)

    await flows.begin(FLOW, now=NOON)
    in_time = await flows.take(FLOW.state_hash, now=NOON + FLOW_LIFETIME - SECOND)
    await flows.begin(FLOW, now=NOON)
    too_late = await flows.take(FLOW.state_hash, now=NOON + FLOW_LIFETIME)

    assert timedelta(minutes=10) == FLOW_LIFETIME
    assert (in_time, too_late) == (FLOW, None)
    assert await database.read("SELECT state_hash FROM oidc_flows") == []


async def test_old_sign_ins_are_cleaned_away(database: Database) -> None:
    await OidcFlows(database).begin(FLOW, now=NOON)

    await remove_stale_access(database, now=NOON + FLOW_LIFETIME)

    assert await database.read("SELECT state_hash FROM oidc_flows") == []
