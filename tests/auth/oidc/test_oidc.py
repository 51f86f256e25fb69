"""Signing in by OpenID Connect, the honest way: real HTTP to a real provider and back (T16)."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from datetime import timedelta

import pytest

from clawfeed.auth.tokens import hash_of
from clawfeed.storage.audit import Action
from clawfeed.storage.database import Database
from clawfeed.storage.people.sessions import Sessions
from tests.auth.oidc_server import (
    CALLBACK,
    PENDING,
    SESSION,
    SITE,
    START,
    OidcServer,
    Traveller,
    house_with_providers,
    question,
)
from tests.support.identity_provider import (
    Claims,
    rsa_key,
    sign_es256,
    sign_rs256,
    sign_with_unknown_key,
)
from tests.support.socket_server import set_cookies

MINUTE = timedelta(minutes=1)


@pytest.fixture
async def house(database: Database) -> AsyncIterator[OidcServer]:
    async with house_with_providers(database) as house:
        yield house


@pytest.mark.parametrize("sign", [sign_rs256, sign_es256])
async def test_a_known_person_signs_in_and_lands_where_they_wanted(
    house: OidcServer, sign: Callable[[Claims], str]
) -> None:
    anna = await house.add_known("anna")
    house.idp.sign = sign

    async with house.opened() as client:
        traveller = Traveller(client)
        answer = await traveller.sign_in("/items?unread=1")

    assert (answer.status, answer.headers["Location"]) == (303, "/items?unread=1")
    session = await Sessions(house.database).find(
        hash_of(traveller.cookies[SESSION]), now=house.clock()
    )
    assert session is not None
    assert session.user.id == anna.id
    assert PENDING not in traveller.cookies
    assert await house.last_event() == (Action.SIGNED_IN, "")


async def test_we_ask_for_a_code_with_pkce_and_our_configured_address(house: OidcServer) -> None:
    """The redirect URI is never made from the Host header."""
    async with house.opened() as client:
        traveller = Traveller(client)
        answer = await traveller.get(START, Host="evil.example")

    asked = question(answer.headers["Location"])
    assert asked["redirect_uri"] == f"{SITE}{CALLBACK}"
    assert (asked["response_type"], asked["code_challenge_method"]) == ("code", "S256")
    assert len(asked["state"]) == len(asked["nonce"]) == len(asked["code_challenge"]) == 43
    assert len({asked["state"], asked["nonce"], traveller.cookies[PENDING]}) == 3
    [cookie] = set_cookies(answer)
    for attribute in ("HttpOnly", "Secure", "SameSite=lax", "Path=/", "Max-Age=600"):
        assert attribute in cookie


async def test_only_hashes_of_state_nonce_and_browser_are_kept(house: OidcServer) -> None:
    async with house.opened() as client:
        traveller = Traveller(client)
        asked = question(await traveller.depart())

    [row] = await house.database.read("SELECT state_hash, nonce_hash, browser_hash FROM oidc_flows")
    assert bytes(row["state_hash"]) == hash_of(asked["state"])
    assert bytes(row["nonce_hash"]) == hash_of(asked["nonce"])
    assert bytes(row["browser_hash"]) == hash_of(traveller.cookies[PENDING])


async def test_a_client_without_a_secret_is_protected_by_pkce_alone(house: OidcServer) -> None:
    house.idp.is_public_client = True
    anna = await house.add_known("anna")

    async with house.opened() as client:
        answer = await Traveller(client).sign_in()

    assert answer.status == 303
    assert await house.sessions() == [anna.id]


async def test_a_second_sign_in_ends_the_browsers_first_session(house: OidcServer) -> None:
    anna = await house.add_known("anna")

    async with house.opened() as client:
        traveller = Traveller(client)
        await traveller.sign_in()
        first = traveller.cookies[SESSION]
        await traveller.sign_in()

    assert traveller.cookies[SESSION] != first
    assert await house.sessions() == [anna.id]


async def test_documents_and_keys_are_asked_for_once_an_hour(house: OidcServer) -> None:
    await house.add_known("anna")

    async with house.opened() as client:
        for _ in range(3):
            await Traveller(client).sign_in()
        within = house.idp.asked.count("/keys"), len(house.idp.asked)
        house.clock.advance(timedelta(hours=1))
        await Traveller(client).sign_in()

    discoveries = house.idp.asked.count("/.well-known/openid-configuration")
    assert within == (1, 1 + 1 + 3 * 2)
    assert (discoveries, house.idp.asked.count("/keys")) == (2, 2)


async def test_a_new_key_is_noticed_after_a_minute_and_asked_for_once_a_minute(
    house: OidcServer,
) -> None:
    anna = await house.add_known("anna")

    async with house.opened() as client:
        await Traveller(client).sign_in()
        house.idp.sign = sign_with_unknown_key
        for _ in range(3):
            assert (await Traveller(client).sign_in()).status == 403
        asked_at_once = house.idp.asked.count("/keys")
        house.clock.advance(MINUTE)
        for _ in range(3):
            assert (await Traveller(client).sign_in()).status == 403
        asked_later = house.idp.asked.count("/keys")
        new = [*house.idp.honest_keys, rsa_key("rsa-9").as_dict(private=False)]
        house.idp.keys = json.dumps({"keys": new}).encode()
        house.clock.advance(MINUTE)
        answer = await Traveller(client).sign_in()

    assert (asked_at_once, asked_later) == (1, 2)
    assert answer.status == 303
    assert await house.sessions() == [anna.id, anna.id]


async def test_an_unknown_provider_is_not_found(house: OidcServer) -> None:
    async with house.opened() as client:
        statuses = [
            (await client.get(f"/auth/oidc/{slug}/{step}")).status
            for slug in ("nobody", "%2e%2e", "%22%3E%3Cb%3E")
            for step in ("start", "callback")
        ]

    assert set(statuses) == {404}


async def test_clocks_may_differ_by_a_minute(house: OidcServer) -> None:
    await house.add_known("anna")
    now = int(house.clock().timestamp())

    statuses = []
    async with house.opened() as client:
        for claims in ({"exp": now - 59}, {"iat": now + 60}):
            house.idp.claims = claims
            statuses.append((await Traveller(client).sign_in()).status)

    assert statuses == [303, 303]


async def test_an_answer_says_whose_it_is_and_is_held_to_it(house: OidcServer) -> None:
    """RFC 9207: checked where it is said, required where it was promised."""
    await house.add_known("anna")
    other, itself = "https://other.example", house.idp.issuer
    cases: list[tuple[bool, str | None, int]] = [
        (True, itself, 303),
        (False, itself, 303),
        (False, None, 303),
        (True, None, 403),
        (True, other, 403),
        (False, other, 403),
        (False, "", 403),
    ]

    statuses = []
    async with house.opened() as client:
        for is_promised, says, _ in cases:
            house.idp.discovery = {"authorization_response_iss_parameter_supported": is_promised}
            house.idp.says_iss = says
            house.clock.advance(timedelta(hours=1))
            statuses.append((await Traveller(client).sign_in()).status)

    assert statuses == [status for _, _, status in cases]


async def test_after_signing_in_nobody_is_sent_elsewhere(house: OidcServer) -> None:
    """(T11), (T23): neither at the start nor by what is added on the way back."""
    await house.add_known("anna")
    hostile = ["//evil.example", "/\\evil.example", "https://evil.example/", "javascript:alert(1)"]
    hostile += ["/..//evil.example", "/\t/evil.example", "/x\r\nSet-Cookie: a=b"]

    async with house.opened() as client:
        landings = [(await Traveller(client).sign_in(each)).headers["Location"] for each in hostile]
        traveller = Traveller(client)
        back = await traveller.come_back(await traveller.depart("/items"))
        answer = await traveller.get(f"{back}&next=//evil.example")

    assert landings == ["/"] * len(hostile)
    assert answer.headers["Location"] == "/items"
