"""Browsers that bring what is not theirs: nobody gets in (T16)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import timedelta
from urllib.parse import urlencode

import pytest

from clawfeed.auth.oidc.errors import SENTENCES
from clawfeed.domain.errors import RefusalCode
from clawfeed.storage.audit import Action
from clawfeed.storage.database import Database
from tests.auth.oidc_server import (
    CALLBACK,
    PENDING,
    SESSION,
    START,
    OidcServer,
    Traveller,
    assert_nobody_got_in,
    house_with_providers,
    question,
)
from tests.support.socket_server import set_cookies

MINUTE, SECOND = timedelta(minutes=1), timedelta(seconds=1)


@pytest.fixture
async def house(database: Database) -> AsyncIterator[OidcServer]:
    async with house_with_providers(database) as house:
        yield house


async def test_the_same_way_back_opens_one_session_only(house: OidcServer) -> None:
    """(T16): a replayed flow."""
    anna = await house.add_known("anna")

    async with house.opened() as client:
        traveller = Traveller(client)
        back = await traveller.come_back(await traveller.depart())
        kept = dict(traveller.cookies)
        first = await traveller.get(back)
        replayer = Traveller(client)
        replayer.cookies = kept
        second = await replayer.get(back)

    assert (first.status, second.status) == (303, 400)
    assert SESSION not in replayer.cookies
    assert await house.sessions() == [anna.id]
    assert SENTENCES[RefusalCode.SIGN_IN_AGAIN] in second.text


async def test_a_token_with_the_nonce_of_an_earlier_sign_in_lets_nobody_in(
    house: OidcServer,
) -> None:
    """(T16): a replayed nonce."""
    await house.add_known("anna")

    async with house.opened() as client:
        house.idp.claims = {"nonce": question(await Traveller(client).depart())["nonce"]}
        traveller = Traveller(client)
        answer = await traveller.sign_in()

    await assert_nobody_got_in(house, traveller, answer)
    why = "sso: the token belongs to another sign-in"
    assert await house.last_event() == (Action.SIGN_IN_FAILED, why)


async def test_a_parameter_that_comes_twice_lets_nobody_in(house: OidcServer) -> None:
    await house.add_known("anna")

    async with house.opened() as client:
        traveller = Traveller(client)
        back = await traveller.come_back(await traveller.depart())
        answer = await traveller.get(f"{back}&code=another")

    await assert_nobody_got_in(house, traveller, answer)


@pytest.mark.parametrize("has_begun", [False, True])
async def test_a_way_back_opened_in_another_browser_lets_nobody_in(
    house: OidcServer, has_begun: bool
) -> None:
    """(T16): the attacker's own code and state, as a link for a victim (login CSRF)."""
    await house.add_known("attacker")

    async with house.opened() as client:
        attacker, victim = Traveller(client), Traveller(client)
        if has_begun:
            await victim.depart()
        back = await attacker.come_back(await attacker.depart())
        answer = await victim.get(back)
        afterwards = await attacker.get(back)

    await assert_nobody_got_in(house, victim, answer)
    assert afterwards.status == 400
    why = "sso: the sign-in began in another browser"
    events = await house.database.read("SELECT detail FROM audit_log ORDER BY id")
    assert events[0]["detail"] == why


@pytest.mark.parametrize("ignores_pkce", [False, True])
async def test_a_code_stolen_from_another_sign_in_lets_nobody_in(
    house: OidcServer, ignores_pkce: bool
) -> None:
    """(T16): a code injected from another session; PKCE stops it, and the nonce behind it."""
    await house.add_known("anna")
    house.idp.ignores_pkce = ignores_pkce

    async with house.opened() as client:
        victim, attacker = Traveller(client), Traveller(client)
        stolen = question(await victim.come_back(await victim.depart()))["code"]
        own = question(await attacker.come_back(await attacker.depart()))
        answer = await attacker.get(f"{CALLBACK}?{urlencode(own | {'code': stolen})}")

    await assert_nobody_got_in(house, attacker, answer)
    _, why = await house.last_event()
    assert ("another sign-in" in why) is ignores_pkce


async def test_a_sign_in_lasts_ten_minutes(house: OidcServer) -> None:
    await house.add_known("anna")

    async with house.opened() as client:
        slow, quick = Traveller(client), Traveller(client)
        backs = [await each.come_back(await each.depart()) for each in (slow, quick)]
        house.clock.advance(10 * MINUTE - SECOND)
        in_time = await quick.get(backs[1])
        house.clock.advance(SECOND)
        too_late = await slow.get(backs[0])

    assert (in_time.status, too_late.status) == (303, 400)
    assert SESSION not in slow.cookies


async def test_the_answer_of_one_provider_is_not_taken_for_anothers(house: OidcServer) -> None:
    """(T16): mix-up. The second provider's callback with a sign-in that began at the first."""
    await house.add_known("anna")

    async with house.opened() as client:
        traveller = Traveller(client)
        back = await traveller.come_back(await traveller.depart())
        answer = await traveller.get(back.replace("/sso/", "/second/"))

    await assert_nobody_got_in(house, traveller, answer)
    assert house.second_idp.asked == []  # above all, it does not get the code
    why = "second: the sign-in began at another provider"
    assert await house.last_event() == (Action.SIGN_IN_FAILED, why)


async def test_the_door_is_braked_by_address_like_every_other(house: OidcServer) -> None:
    """Twenty failures a minute; who gets in takes theirs back."""
    await house.add_known("anna")

    async with house.opened() as client:
        for _ in range(15):
            assert (await Traveller(client).sign_in()).status == 303
        failed = [await client.get(f"{CALLBACK}?state=guess{n}&code=x") for n in range(21)]
        started = await client.get(START)
        house.clock.advance(MINUTE)
        later = await Traveller(client).sign_in()

    assert [answer.status for answer in failed] == [400] * 20 + [429]
    assert (started.status, later.status) == (429, 303)
    assert int(failed[-1].headers["Retry-After"]) >= 1


async def test_no_secret_is_shown_or_kept(
    house: OidcServer, caplog: pytest.LogCaptureFixture
) -> None:
    """(T17): neither ours nor the code and the token."""
    await house.add_known("anna")
    house.idp.claims = {"nonce": "made up"}

    async with house.opened() as client:
        traveller = Traveller(client)
        back = await traveller.come_back(await traveller.depart())
        answer = await traveller.get(back)

    rows = await house.database.read("SELECT detail, client FROM audit_log")
    told = f"{answer.text}{caplog.text}{[(row['detail'], row['client']) for row in rows]}"
    for secret in (question(back)["code"], question(back)["state"], "ecret", "made up"):
        assert secret not in told


async def test_a_spoilt_way_back_lets_nobody_in(house: OidcServer) -> None:
    """(T16): a missing state, and its neighbours."""
    await house.add_known("anna")
    spoilt: list[tuple[dict[str, str | None], str]] = [
        ({"state": None}, "the state is missing"),
        ({"state": ""}, "the state is missing"),
        ({"state": "made up"}, "the state is unknown, used or too old"),
        ({"code": None}, "the provider gave no code"),
        ({"code": "x" * 5000}, "the provider gave no code"),
        ({"error": "server_error"}, "the provider gave no code"),
        ({"code": "made up"}, "the provider answered with status 400"),
    ]

    async with house.opened() as client:
        for change, why in spoilt:
            traveller = Traveller(client)
            given = question(await traveller.come_back(await traveller.depart())) | change
            kept = {name: value for name, value in given.items() if value is not None}
            answer = await traveller.get(f"{CALLBACK}?{urlencode(kept)}")

            await assert_nobody_got_in(house, traveller, answer)
            assert await house.last_reason() == f"sso: {why}"


async def test_the_providers_error_is_not_repeated(house: OidcServer) -> None:
    """(T9): whoever made the link wrote it."""
    async with house.opened() as client:
        for text in ("<script>alert(1)</script>", "\r\nSet-Cookie: a=b", "access_denied"):
            traveller = Traveller(client)
            state = question(await traveller.depart())["state"]
            given = {"state": state, "error": text, "error_description": text}
            answer = await traveller.get(f"{CALLBACK}?{urlencode(given)}")

            await assert_nobody_got_in(house, traveller, answer)
            assert text.strip() not in answer.text
            assert answer.content_type == "text/html"
            assert all(line.startswith(f"{PENDING}=") for line in set_cookies(answer))
