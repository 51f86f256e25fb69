"""Whose account an identity opens (T16, e-mail take-over)."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from clawfeed.auth.client_address import Client
from clawfeed.auth.oidc.accounts import AccountPolicy, ProviderAccounts
from clawfeed.auth.oidc.errors import SENTENCES, OidcRefusedError
from clawfeed.auth.oidc.id_token import Identity
from clawfeed.domain.errors import RefusalCode
from clawfeed.domain.people.users import Role
from clawfeed.storage.database import Database
from clawfeed.storage.people.users import UserStore
from tests.auth.oidc_server import (
    OidcServer,
    Traveller,
    assert_nobody_got_in,
    house_with_providers,
)
from tests.support.clocks import NOON, FakeClock

LINKING = AccountPolicy(may_link=True)
SIGN_UP = AccountPolicy(may_sign_up=True)
BOTH = AccountPolicy(may_link=True, may_sign_up=True)
SOMEWHERE = Client(address="192.0.2.1")


@pytest.fixture
async def house(database: Database) -> AsyncIterator[OidcServer]:
    async with house_with_providers(database) as house:
        yield house


@pytest.mark.parametrize("is_verified", [False, None, "true", 1], ids=repr)
async def test_an_unverified_address_of_an_admin_opens_nothing(
    house: OidcServer, is_verified: object
) -> None:
    """(T16): e-mail take-over."""
    admin = await house.add("root", Role.ADMIN)
    house.policy = BOTH
    house.idp.person = {"email": "root@example.org", "email_verified": is_verified}

    async with house.opened() as client:
        traveller = Traveller(client)
        answer = await traveller.sign_in()

    await assert_nobody_got_in(house, traveller, answer)
    assert not (await UserStore(house.database).get(admin.id)).has_identity
    assert [account.user.id for account in await UserStore(house.database).list()] == [admin.id]


@pytest.mark.parametrize("policy", [AccountPolicy(), SIGN_UP])
async def test_a_verified_address_opens_no_account_unless_the_operator_said_so(
    house: OidcServer, policy: AccountPolicy
) -> None:
    await house.add("anna")
    house.policy = policy
    house.idp.person = {"email": "anna@example.org", "email_verified": True}

    async with house.opened() as client:
        traveller = Traveller(client)
        answer = await traveller.sign_in()

    await assert_nobody_got_in(house, traveller, answer)
    assert SENTENCES[RefusalCode.NO_ACCOUNT] in answer.text


async def test_a_verified_address_opens_its_account_once_the_operator_said_so(
    house: OidcServer,
) -> None:
    """And from then on the identity counts, whatever becomes of the address."""
    anna = await house.add("anna")
    house.policy = LINKING
    house.idp.person = {"email": "Anna@Example.org", "email_verified": True}

    async with house.opened() as client:
        first = await Traveller(client).sign_in()
        house.idp.person = {"email": "other@example.org"}
        second = await Traveller(client).sign_in()

    assert (first.status, second.status) == (303, 303)
    assert await house.sessions() == [anna.id, anna.id]


async def test_an_account_that_one_identity_opens_is_not_linked_to_another(
    house: OidcServer,
) -> None:
    await house.add_known("anna", subject="the first")
    house.policy = BOTH
    house.idp.person = {"email": "anna@example.org", "email_verified": True}

    async with house.opened() as client:
        traveller = Traveller(client)
        answer = await traveller.sign_in()

    await assert_nobody_got_in(house, traveller, answer)


async def test_strangers_get_no_account_by_default(house: OidcServer) -> None:
    house.idp.person = {"email": "new@example.org", "email_verified": True}

    async with house.opened() as client:
        traveller = Traveller(client)
        answer = await traveller.sign_in()

    await assert_nobody_got_in(house, traveller, answer)
    assert await UserStore(house.database).list() == []


async def test_a_stranger_gets_a_users_account_where_sign_up_is_on(house: OidcServer) -> None:
    """Whatever role the token asks for (T13)."""
    house.policy = SIGN_UP
    house.idp.person = {"email": "new@example.org", "email_verified": True, "name": "Nia New"}
    house.idp.claims = {"role": "admin", "groups": ["admin"], "is_admin": True}

    async with house.opened() as client:
        answers = [await Traveller(client).sign_in() for _ in range(2)]

    [account] = await UserStore(house.database).list()
    assert [answer.status for answer in answers] == [303, 303]
    assert (account.user.email, account.user.name) == ("new@example.org", "Nia New")
    assert (account.user.role, account.has_identity) == (Role.USER, True)
    assert await house.sessions() == [account.user.id] * 2


async def test_the_disabled_stay_out_and_hear_what_strangers_hear(house: OidcServer) -> None:
    """Nobody learns from the answer who has an account."""
    anna = await house.add_known("anna")
    await house.add("boss", Role.ADMIN)
    await UserStore(house.database).change(anna.id, is_disabled=True, now=NOON)
    house.policy = LINKING

    async with house.opened() as client:
        traveller, stranger = Traveller(client), Traveller(client)
        answer = await traveller.sign_in()
        house.idp.subject = "a stranger"
        other = await stranger.sign_in()

    await assert_nobody_got_in(house, traveller, answer)
    assert (answer.status, answer.text) == (other.status, other.text)


async def test_the_same_subject_at_another_provider_is_somebody_else(house: OidcServer) -> None:
    """The key is (iss, sub)."""
    await house.add_known("anna")
    assert house.second_idp.subject == house.idp.subject

    async with house.opened() as client:
        traveller = Traveller(client)
        answer = await traveller.sign_in(slug="second")

    await assert_nobody_got_in(house, traveller, answer)
    assert SENTENCES[RefusalCode.NO_ACCOUNT] in answer.text


@pytest.mark.parametrize("name", [None, "", "x\r\nSet-Cookie: a=b", "y" * 300], ids=range(4))
async def test_a_name_that_is_none_is_made_from_the_address(
    database: Database, name: str | None
) -> None:
    accounts = ProviderAccounts(SIGN_UP, database, FakeClock())
    identity = Identity(issuer="https://a", subject="1", email="new@example.org", name=name)

    user = await accounts.account_of(identity, SOMEWHERE)

    assert user.name == "new"


@pytest.mark.parametrize("email", [None, "", "no address", "a@b\r\nc@d"], ids=range(4))
async def test_a_verified_address_that_is_none_makes_no_account(
    database: Database, email: str | None
) -> None:
    accounts = ProviderAccounts(BOTH, database, FakeClock())
    identity = Identity(issuer="https://a", subject="1", email=email)

    with pytest.raises(OidcRefusedError) as caught:
        await accounts.account_of(identity, SOMEWHERE)

    assert caught.value.told is RefusalCode.NO_ACCOUNT
    assert await UserStore(database).list() == []
