"""A provider that lies: nobody gets in, each time for the right reason (T16).

The variants of one kind share a house, since opening one costs more than walking through it.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Iterable
from datetime import timedelta

import pytest

from clawfeed.auth.oidc.errors import SENTENCES
from clawfeed.domain.errors import RefusalCode
from clawfeed.storage.database import Database
from tests.auth.oidc_server import (
    OidcServer,
    Traveller,
    assert_nobody_got_in,
    house_with_providers,
)
from tests.support.identity_provider import (
    CLIENT_ID,
    Claims,
    IdentityProvider,
    sign_and_spoil,
    sign_rs256,
    sign_with_another_key_of_that_name,
    sign_with_none,
    sign_with_own_key_in_header,
    sign_with_public_key,
    sign_with_unknown_key,
)

HOUR = timedelta(hours=1)
NOT_CONFIRMED = SENTENCES[RefusalCode.NOT_CONFIRMED]
UNREACHABLE = SENTENCES[RefusalCode.PROVIDER_UNREACHABLE]
WRONG = "sso: the token's signature or claims are wrong"
UNKNOWN_KEY = "sso: the token is signed with an unknown key"
NOT_ACCEPTED = "sso: the token is signed in a way we do not accept"
NO_TOKEN = "sso: the token is no signed token"  # noqa: S105 -- a sentence
FOR_OTHERS = "sso: the token is for somebody else"
NO_KEYS = "sso: the provider's keys are no list, or too many"
OTHER_SIGN_IN = "sso: the token belongs to another sign-in"
NOT_ALLOWED = "sso: an endpoint of the provider is not allowed"


@pytest.fixture
async def house(database: Database) -> AsyncIterator[OidcServer]:
    async with house_with_providers(database) as house:
        yield house


async def assert_refused(
    house: OidcServer, lies: Iterable[tuple[Callable[[IdentityProvider], object], str]]
) -> None:
    """Each lie, told to a house that knows Anna, lets nobody in for the reason beside it."""
    await house.add_known("anna")
    async with house.opened() as client:
        for lie, why in lies:
            lie(house.idp)
            # By then documents and keys are forgotten, and so are the failures.
            house.clock.advance(HOUR)
            traveller = Traveller(client)
            answer = await traveller.sign_in()

            await assert_nobody_got_in(house, traveller, answer)
            assert await house.last_reason() == why
            assert NOT_CONFIRMED in answer.text or UNREACHABLE in answer.text


def claiming(**claims: object) -> Callable[[IdentityProvider], None]:
    """Over the honest claims; what is None is left out."""

    def lie(idp: IdentityProvider) -> None:
        idp.claims = claims

    return lie


def signing(sign: Callable[[Claims], str]) -> Callable[[IdentityProvider], None]:
    def lie(idp: IdentityProvider) -> None:
        idp.sign = sign

    return lie


def publishing(keys: Callable[[list[Claims]], object]) -> Callable[[IdentityProvider], None]:
    def lie(idp: IdentityProvider) -> None:
        idp.keys = json.dumps({"keys": keys(idp.honest_keys)}).encode()

    return lie


def answering(body: bytes) -> Callable[[IdentityProvider], None]:
    def lie(idp: IdentityProvider) -> None:
        idp.token_answer = body

    return lie


def describing(**document: object) -> Callable[[IdentityProvider], None]:
    def lie(idp: IdentityProvider) -> None:
        idp.discovery = document

    return lie


async def test_a_token_of_another_issuer_lets_nobody_in(house: OidcServer) -> None:
    """Variant 1."""
    others = ("https://accounts.google.com", f"{house.idp.issuer}/", "", 7, [house.idp.issuer])

    await assert_refused(house, [(claiming(iss=other), WRONG) for other in (*others, None)])


async def test_a_token_for_another_application_lets_nobody_in(house: OidcServer) -> None:
    """Variant 2."""
    await assert_refused(
        house,
        [
            (claiming(aud="another application"), WRONG),
            (claiming(aud=[]), WRONG),
            (claiming(aud=None), WRONG),
            (claiming(aud={CLIENT_ID: 1}), WRONG),
            (claiming(aud=[CLIENT_ID, "another"]), FOR_OTHERS),
            (claiming(aud=[CLIENT_ID, "another"], azp="another"), FOR_OTHERS),
            (claiming(azp="another"), FOR_OTHERS),
        ],
    )


async def test_a_token_signed_otherwise_lets_nobody_in(house: OidcServer) -> None:
    """Variants 3, 4 and 9: alg none, HS256 with the public key, an unknown kid; and others."""
    await assert_refused(
        house,
        [
            (signing(sign_with_none), NOT_ACCEPTED),
            (signing(sign_with_public_key), NOT_ACCEPTED),
            (signing(sign_with_unknown_key), UNKNOWN_KEY),
            (signing(sign_with_another_key_of_that_name), WRONG),
            (signing(sign_with_own_key_in_header), WRONG),
            (signing(sign_and_spoil), WRONG),
            (signing(lambda _: "no.token"), NO_TOKEN),
            (signing(lambda _: "é.é.é"), NO_TOKEN),
            (
                signing(lambda claims: sign_rs256(claims) + "A" * 20_000),
                "sso: the token is too long",
            ),
        ],
    )


async def test_a_token_out_of_its_time_lets_nobody_in(house: OidcServer) -> None:
    """Variant 5: expired by a minute, from the future, or without a moment."""
    await assert_refused(
        house,
        [
            (lambda idp: claiming(exp=idp.seconds_after(HOUR) - 60)(idp), WRONG),
            (lambda idp: claiming(iat=idp.seconds_after(HOUR) + 61)(idp), WRONG),
            (lambda idp: claiming(nbf=idp.seconds_after(HOUR) + 61)(idp), WRONG),
            (claiming(exp=None), WRONG),
            (claiming(iat=None), WRONG),
            (claiming(exp="9999999999"), WRONG),
            (claiming(exp=float("nan")), WRONG),
        ],
    )


async def test_a_token_without_our_nonce_or_anybodys_name_lets_nobody_in(
    house: OidcServer,
) -> None:
    await assert_refused(
        house,
        [
            (claiming(nonce=None), OTHER_SIGN_IN),
            (claiming(nonce="made up"), OTHER_SIGN_IN),
            (claiming(nonce=7), OTHER_SIGN_IN),
            (claiming(sub=None), WRONG),
            (claiming(sub=""), WRONG),
            (claiming(sub=248289761001), WRONG),
            (claiming(sub="x" * 256), "sso: the token's subject is no subject"),
        ],
    )


async def test_bad_key_sets_let_nobody_in(house: OidcServer) -> None:
    """Variant 10: a huge JWKS; and keys that are none, too weak, too costly or for other things."""
    n = "A" * 342
    await assert_refused(
        house,
        [
            (
                publishing(lambda keys: [*keys, "x" * 200_000]),
                "sso: the provider did not answer: too_large",
            ),
            (publishing(lambda keys: keys * 26), NO_KEYS),
            (publishing(lambda _: "rsa-1"), NO_KEYS),
            (publishing(lambda _: []), UNKNOWN_KEY),
            (publishing(lambda _: [{"kty": "RSA", "kid": "rsa-1", "n": n, "e": n}]), UNKNOWN_KEY),
            (
                publishing(lambda _: [{"kty": "RSA", "kid": "rsa-1", "n": n * 200, "e": "AQAB"}]),
                UNKNOWN_KEY,
            ),
            (
                publishing(lambda _: [{"kty": "RSA", "kid": "rsa-1", "n": "AQAB", "e": "AQAB"}]),
                UNKNOWN_KEY,
            ),
            (publishing(lambda keys: [keys[0] | {"use": "enc"}]), UNKNOWN_KEY),
            (publishing(lambda keys: [keys[0] | {"alg": "RS512"}]), UNKNOWN_KEY),
            (
                publishing(lambda keys: [{"kty": "oct", "kid": "rsa-1", "k": keys[0]["n"]}]),
                UNKNOWN_KEY,
            ),
            (
                publishing(lambda _: [None, 7, {}, {"kty": "EC", "crv": "P-256", "x": "A"}]),
                UNKNOWN_KEY,
            ),
        ],
    )


async def test_a_token_endpoint_that_talks_nonsense_lets_nobody_in(house: OidcServer) -> None:
    no_json, no_object = (
        "sso: the provider's answer is no JSON",
        "sso: the provider's answer is no JSON object",
    )
    no_id = "sso: the token endpoint gave no id_token"
    await assert_refused(
        house,
        [
            (answering(b""), no_json),
            (answering(b"[" * 90_000), no_json),
            (answering(b"[]"), no_object),
            (answering(b"{}"), no_id),
            (answering(b'{"id_token": 7}'), no_id),
        ],
    )


async def test_a_discovery_that_redirects_into_our_network_is_not_followed(
    house: OidcServer,
) -> None:
    """(T3): the second provider listens at 127.0.0.1 and would hear us."""
    house.idp.discovery_redirect = f"{house.second_idp.issuer}/.well-known/openid-configuration"

    async with house.opened() as client:
        traveller = Traveller(client)
        answer = await traveller.sign_in()

    await assert_nobody_got_in(house, traveller, answer)
    assert UNREACHABLE in answer.text
    assert house.second_idp.asked == []


async def test_what_discovery_says_is_judged_by_the_guard(house: OidcServer) -> None:
    """(T3): endpoints inside our network or in no web at all are never asked."""
    inside = ["http://127.0.0.1:1/x", "http://169.254.169.254/latest", "http://[::1]/"]
    nowhere = ["javascript:alert(1)", "file:///etc/passwd", "http://u:p@idp.example/", "/token"]
    doors = ["authorization_endpoint", "token_endpoint", "jwks_uri"]

    await assert_refused(
        house,
        [
            (describing(**{door: address}), NOT_ALLOWED)
            for door in doors
            for address in (*inside, *nowhere)
        ],
    )

    assert set(house.idp.asked) == {"/.well-known/openid-configuration"}


async def test_a_discovery_document_of_another_issuer_is_not_believed(house: OidcServer) -> None:
    other = "sso: the discovery document is of another issuer"
    lies = [f"{house.idp.issuer}/", "https://accounts.google.com", None, [house.idp.issuer]]

    await assert_refused(house, [(describing(issuer=lie), other) for lie in lies])
