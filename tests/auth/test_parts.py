"""The small parts of `auth`, each by itself."""

from __future__ import annotations

import asyncio
import time
from datetime import timedelta
from ipaddress import ip_network

import pytest
from ada_url import URL
from fastapi import HTTPException, Request, Response
from hypothesis import given
from hypothesis import strategies as st

from clawfeed.auth.client_address import client_of
from clawfeed.auth.cookies import SessionCookie
from clawfeed.auth.limits.request_rate_limit import RequestRate
from clawfeed.auth.origin_check import OwnOrigin
from clawfeed.auth.password_hashing import Passwords
from clawfeed.auth.return_path import LONGEST_PATH, next_path
from clawfeed.auth.tokens import hash_of, is_same, key_id_of, new_key, new_token
from clawfeed.domain.ids import UserId
from clawfeed.domain.people.login_throttle import NO_WAIT
from tests.auth.auth_server import PASSWORD, QUICK
from tests.support.clocks import NOON
from tests.support.hostile_text import LINE_ENDS, redirects_away


def request(method: str = "POST", *, peer: str = "192.0.2.1", **headers: str) -> Request:
    named = [(n.replace("_", "-").encode(), value.encode()) for n, value in headers.items()]
    scope = {"type": "http", "method": method, "headers": named, "client": (peer, 1)}
    return Request(scope)


async def test_a_password_is_verified_and_nobodys_never_is() -> None:
    hashed = await QUICK.hash(PASSWORD)

    assert hashed.startswith("$argon2id$")
    assert await QUICK.verify(hashed, PASSWORD)
    assert not await QUICK.verify(hashed, PASSWORD.upper())
    assert not await QUICK.verify(None, "nobody's password")
    assert not await QUICK.verify("no hash at all", PASSWORD)


async def test_two_spellings_of_one_letter_are_two_passwords() -> None:
    """Raw UTF-8, not normalised (RELIABILITY 6)."""
    hashed = await QUICK.hash("caf\u00e9 and three words")

    assert not await QUICK.verify(hashed, "cafe\u0301 and three words")


async def test_the_costs_are_the_promised_ones_and_cheaper_hashes_are_outdated() -> None:
    """(RELIABILITY 6)."""
    ours = Passwords()

    hashed = await ours.hash(PASSWORD)

    assert "$m=47104,t=1,p=1$" in hashed
    assert not ours.is_outdated(hashed)
    assert ours.is_outdated(await QUICK.hash(PASSWORD))


async def turns_beside(work: asyncio.Task[object]) -> int:
    """How often the loop could run something else while *work* ran."""
    turns = 0
    while not work.done():
        await asyncio.sleep(0.001)
        turns += 1
    return turns


async def test_hashing_never_stops_the_loop() -> None:
    """(T14)."""
    ours = Passwords()

    async def many() -> object:
        return await asyncio.gather(*(ours.verify(None, "a wrong password") for _ in range(8)))

    turns = await turns_beside(asyncio.create_task(many()))

    # One hash takes 50 to 130 ms here; eight of them on the loop leave it eight turns.
    assert turns > 16


@pytest.mark.slow
async def test_a_stranger_costs_as_much_time_as_a_person() -> None:
    """(T14): the ratio is below 1.2 on a quiet machine; others may be busy."""
    ours = Passwords()
    hashed = await ours.hash(PASSWORD)
    await ours.verify(None, "warm up")

    took: dict[str | None, list[float]] = {hashed: [], None: []}
    for _ in range(15):
        for known, times in took.items():
            began = time.process_time()
            await ours.verify(known, "a wrong password")
            times.append(time.process_time() - began)

    fastest = sorted(min(times) for times in took.values())
    assert fastest[1] / fastest[0] < 1.3


def test_tokens_and_keys_are_long_and_never_the_same() -> None:
    tokens = {new_token() for _ in range(100)}
    keys = [new_key() for _ in range(100)]

    assert len(tokens) == 100
    assert {len(token) for token in tokens} == {43}
    assert len({key.text for key in keys}) == 100
    for key in keys:
        assert key_id_of(key.text) == key.key_id
        assert (key.key_hash, key.last4) == (hash_of(key.text), key.text[-4:])
        assert key.text not in repr(key)


@pytest.mark.parametrize("text", ["", "cf_", "cf_12345678_short", "CF_" + "a" * 52, "x" * 55])
def test_what_is_no_key_of_ours_has_no_id(text: str) -> None:
    assert key_id_of(text) is None


def test_secrets_of_any_text_can_be_compared() -> None:
    assert is_same("ключ", "ключ")
    assert not is_same("a", "\ud800")


@pytest.mark.parametrize(
    ("base_url", "cookie"),
    [
        (
            "https://feeds.example",
            "__Host-sid=T; HttpOnly; Max-Age=5184000; Path=/; SameSite=lax; Secure",
        ),
        ("http://127.0.0.1:8767", "sid=T; HttpOnly; Max-Age=5184000; Path=/; SameSite=lax"),
    ],
)
def test_the_cookie_is_for_this_site_alone(base_url: str, cookie: str) -> None:
    """(RELIABILITY 6, sessions)."""
    response = Response()

    SessionCookie.of(base_url).set(response, "T")

    assert response.headers["set-cookie"] == cookie


OURS = "https://feeds.example"


@pytest.mark.parametrize(
    ("base_url", "headers", "has_cookie", "is_allowed"),
    [
        (OURS, {}, False, True),  # a script with a key
        (OURS, {}, True, False),  # a cookie from who knows where
        (OURS, {"origin": OURS}, True, True),
        (OURS, {"origin": "HTTPS://Feeds.Example"}, True, True),
        (OURS, {"origin": "https://feeds.example:443"}, True, False),  # no browser writes this
        (OURS, {"origin": "http://feeds.example"}, True, False),
        (OURS, {"origin": "https://evil.example"}, False, False),
        (OURS, {"origin": "https://feeds.example.evil.example"}, True, False),
        (OURS, {"origin": "null"}, True, False),
        (OURS, {"origin": "null", "sec_fetch_site": "none"}, True, False),
        (OURS, {"origin": "null", "sec_fetch_site": "same-origin"}, True, True),
        (OURS, {"sec_fetch_site": "same-origin"}, True, True),
        (OURS, {"sec_fetch_site": "none"}, True, True),
        (OURS, {"sec_fetch_site": "same-site"}, False, False),
        (OURS, {"sec_fetch_site": "cross-site"}, False, False),
        (OURS, {"sec_fetch_site": "cross-site", "origin": OURS}, True, False),
        (OURS, {"sec_fetch_site": "same-origin", "origin": "https://evil.example"}, True, False),
        (OURS, {"origin": "http://localhost:8767"}, True, False),
        ("http://127.0.0.1:8767", {"origin": "http://localhost:8767"}, True, True),
        ("http://localhost:8767/", {"origin": "http://[::1]:8767"}, True, True),
        ("http://[::1]:8767", {"origin": "http://127.0.0.1:8767"}, True, True),
        ("http://127.0.0.1:8767", {"origin": "http://localhost:9999"}, True, False),
        ("http://localhost", {"origin": "http://127.0.0.1"}, True, True),
        ("https://feeds.example:443", {"origin": OURS}, True, True),
    ],
)
def test_only_our_own_pages_change_something(
    base_url: str, headers: dict[str, str], has_cookie: bool, is_allowed: bool
) -> None:
    """(T12)."""
    own = OwnOrigin.of(base_url)

    refused_with = None
    try:
        own.check(request(**headers), has_cookie=has_cookie)
    except HTTPException as refusal:
        refused_with = refusal.status_code

    assert refused_with == (None if is_allowed else 403)
    own.check(request("GET", **headers), has_cookie=has_cookie)


PROXY = (ip_network("10.0.0.0/8"), ip_network("::1/128"))


@pytest.mark.parametrize(
    ("peer", "forwarded", "address"),
    [
        ("192.0.2.1", "", "192.0.2.1"),
        ("192.0.2.1", "203.0.113.5", "192.0.2.1"),  # whoever is no proxy may write anything
        ("10.0.0.1", "203.0.113.5", "203.0.113.5"),
        ("10.0.0.1", "6.6.6.6, 203.0.113.5", "203.0.113.5"),
        ("10.0.0.1", "203.0.113.5, 10.0.0.2", "203.0.113.5"),
        ("10.0.0.1", "nonsense", "10.0.0.1"),
        ("10.0.0.1", "", "10.0.0.1"),
        ("::1", "2001:db8::5", "2001:db8::5"),
        ("::ffff:10.0.0.1", "203.0.113.5", "203.0.113.5"),
        ("::ffff:192.0.2.1", "", "192.0.2.1"),
    ],
)
def test_the_address_is_believed_from_trusted_proxies_alone(
    peer: str, forwarded: str, address: str
) -> None:
    """(T27; CVE-2023-27591)."""
    asked = request(peer=peer, x_forwarded_for=forwarded)

    assert client_of(asked, PROXY).address == address
    assert client_of(asked, ()).address == peer.removeprefix("::ffff:")


def test_a_browsers_name_is_one_short_printable_line() -> None:
    """(T29)."""
    scope = {
        "type": "http",
        "method": "GET",
        "headers": [(b"user-agent", b"Moz\x1b[31milla\x00\x9b\t" + b"x" * 500)],
        "client": ("192.0.2.1", 1),
    }

    agent = client_of(Request(scope), ()).agent

    assert agent.startswith("Moz[31millax")
    assert agent.isprintable()
    assert len(agent) == 120


def test_the_rate_allows_a_minutes_worth_and_then_its_pace() -> None:
    """(T26)."""
    rate, anna, ben = RequestRate(60), UserId(2), UserId(3)

    burst = [rate.take(anna, NOON) for _ in range(61)]

    assert burst == [NO_WAIT] * 60 + [timedelta(seconds=1)]
    assert rate.take(ben, NOON) == NO_WAIT
    assert rate.take(anna, NOON + timedelta(seconds=1)) == NO_WAIT
    assert all(RequestRate(0).take(anna, NOON) == NO_WAIT for _ in range(500))


@pytest.mark.parametrize(
    "path", ["/", "/digests/3", "/a?b=c#d", "/sources?next=%2Flogin", "/loginname", "/汉字"]
)
def test_a_page_of_ours_is_gone_to(path: str) -> None:
    expected = "/%E6%B1%89%E5%AD%97" if path == "/汉字" else path

    assert next_path(path) == expected


def test_every_open_redirect_ends_on_the_front_page() -> None:
    """(T11)."""
    assert [each for each in redirects_away() if next_path(each) != "/"] == []
    assert next_path("/" + "a" * LONGEST_PATH) == "/"


@given(st.lists(st.sampled_from([*LINE_ENDS, *"/\\.:@?#% ", "//", "evil.example", "https"])))
def test_no_mixture_of_them_leaves_our_origin(parts: list[str]) -> None:
    """(T11)."""
    path = next_path("/" + "".join(parts))

    assert URL(path, base="https://feeds.example").origin == "https://feeds.example"
    assert not path.startswith(("//", "/\\"))
    assert path.isascii()
    assert path.isprintable()
