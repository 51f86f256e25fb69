"""Nothing private is ever dialled, whatever the URL, the DNS or the redirect says.

The spy sits in the place of the socket: what it did not note was not dialled (T1, T2, F12, F14).
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator
from datetime import timedelta
from ipaddress import ip_address

import pytest
from aiohttp.abc import ResolveResult
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from clawfeed.domain.errors import EgressError, Reason
from clawfeed.egress.guard import DENIED_NETWORKS
from clawfeed.egress.request_and_response import Request
from clawfeed.egress.response_limits import Limits
from tests.egress.loopback_servers import (
    PUBLIC,
    Asked,
    Exchange,
    Handler,
    StubResolver,
    answering,
    new_egress,
    reply,
    serving,
)
from tests.support.hostile_addresses import private_urls

QUICK = Limits(total=timedelta(seconds=1.5))


async def _reason(url: str, exchange: Exchange, resolver: StubResolver) -> Reason | None:
    async with new_egress(resolver=resolver, dial=exchange) as egress:
        try:
            await egress.request(Request(url=url, limits=QUICK))
        except EgressError as error:
            return error.reason
    return None


async def test_no_spelling_of_a_private_address_leads_to_any_connection() -> None:
    """(T1, S001-11)."""
    exchange, resolver = Exchange(), StubResolver()

    reasons = {name: await _reason(url, exchange, resolver) for name, url in private_urls().items()}

    assert exchange.dialled == []
    assert resolver.asked == []
    assert {name: r for name, r in reasons.items() if r is not Reason.BLOCKED} == {}


# Answers of a name's first, second and third look-up, and what the third request ends with.
ANSWERS: dict[str, tuple[object, Reason | None]] = {
    "honest.example": ([[PUBLIC]], None),
    "home.example": ([["192.168.7.9"]], Reason.BLOCKED),
    "127.0.0.1.wildcard.example": ([["127.0.0.1"]], Reason.BLOCKED),
    "mapped.example": ([["::ffff:192.168.7.9"]], Reason.BLOCKED),
    "nat64.example": ([["64:ff9b::a9fe:a9fe"]], Reason.BLOCKED),
    "local.example": ([["fd12:3456::1"]], Reason.BLOCKED),
    "zoned.example": ([["fe80::1%eth0"]], Reason.BLOCKED),
    "turns.example": ([[PUBLIC], ["10.20.0.3"]], Reason.BLOCKED),
    "turns-late.example": ([[PUBLIC], [PUBLIC], ["169.254.169.254"]], Reason.BLOCKED),
    "both.example": ([[PUBLIC, "127.0.0.1"]], Reason.BLOCKED),
    "both-turned.example": ([["::1", PUBLIC]], Reason.BLOCKED),
    "nothing.example": ([[]], Reason.UNREACHABLE),
    "silent.example": ("TIMEOUT", Reason.TIMED_OUT),
    "failing.example": (socket.gaierror(socket.EAI_AGAIN, "try again"), Reason.UNREACHABLE),
}


@pytest.mark.parametrize("host", ANSWERS)
async def test_whatever_the_dns_answers_no_private_address_is_dialled(host: str) -> None:
    """(S001-11, T2, F14)."""
    answers, expected = ANSWERS[host]
    resolver = StubResolver({host: answers})

    async with serving(answering(200, connection="close")) as server:
        exchange = Exchange(server)
        for _ in range(3):  # a fresh egress has no DNS cache, so turns come through
            reason = await _reason(f"http://{host}/", exchange, resolver)

    assert reason is expected
    assert {ip for ip, _ in exchange.dialled} <= {PUBLIC}


async def test_an_approved_name_that_flips_is_refused_at_its_next_look_up() -> None:
    """Dialled address = checked address, on a kept session too (T2)."""
    resolver = StubResolver({"rebind.example": [[PUBLIC], ["127.0.0.1"]]})
    async with serving(answering(200, connection="close")) as server:
        exchange = Exchange(server)
        async with new_egress(resolver=resolver, dial=exchange) as egress:
            first = await egress.request(Request(url="http://rebind.example/"))
            session = egress._sessions.of(may_be_repeated=True)
            session.connector.clear_dns_cache()  # type: ignore[union-attr]  # 60 s later
            with pytest.raises(EgressError) as caught:
                await egress.request(Request(url="http://rebind.example/"))

    assert first.status == 200
    assert caught.value.reason is Reason.BLOCKED
    assert exchange.dialled == [(PUBLIC, 80)]


class TwoFaced(dict[str, object]):
    """An answer with a public address for who looks first, the resolver's own check."""

    def __init__(self, answer: ResolveResult) -> None:
        super().__init__(answer)
        self.looks = 0

    def __getitem__(self, name: str) -> object:
        if name != "host":
            return super().__getitem__(name)
        self.looks += 1
        return PUBLIC if self.looks == 1 else super().__getitem__(name)


class TwoFacedResolver(StubResolver):
    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        found = await super().resolve(host, port, family)
        return [TwoFaced(answer) for answer in found]  # type: ignore[misc]  # it is a dictionary


async def test_the_socket_check_stands_even_if_the_resolver_lies_about_its_answers() -> None:
    """The resolver's own check is not the guard: the socket factory is (finding 1)."""
    exchange = Exchange()
    liar = TwoFacedResolver({"liar.example": [["::1", "10.0.0.1", "127.0.0.1"]]})
    async with new_egress(dial=exchange, resolver=liar) as egress:
        with pytest.raises(EgressError) as caught:
            await egress.request(Request(url="http://liar.example/"))

    assert caught.value.reason is Reason.BLOCKED
    assert exchange.dialled == []


def _redirecting(places: dict[str, str]) -> Handler:
    async def handler(asked: Asked, writer: asyncio.StreamWriter) -> None:
        place = places[asked.path]
        writer.write(reply(302, location=place) if place != "-" else reply(302))

    return handler


@pytest.mark.parametrize(
    "location",
    [
        "http://127.0.0.1/",
        "http://169.254.169.254/latest/meta-data/",
        "file:///etc/passwd",
        "gopher://127.0.0.1:6379/_x",
        "//127.0.0.1/",
        "\\\\127.0.0.1\\",
        "/\\127.0.0.1/",
        "http://[::ffff:127.0.0.1]/",
        "http://rebind.example/",
        "http://user:pass@public.example/",
        "https:127.0.0.1",
        "http:\\\\10.0.0.1",
        "http://0x7f.1/",
        "http://public.example:22/",
        "data:text/xml,<rss/>",
        "http://localhost/",
    ],
)
async def test_no_redirect_leads_to_a_private_place(location: str) -> None:
    """(S001-11, F12)."""
    resolver = StubResolver({"rebind.example": [["127.0.0.1"]]})
    async with serving(_redirecting({"/r": "/hop", "/hop": location})) as server:
        exchange = Exchange(server)
        async with new_egress(resolver=resolver, dial=exchange) as egress:
            with pytest.raises(EgressError) as caught:
                await egress.request(Request(url="http://public.example/r"))

    assert caught.value.reason is Reason.BLOCKED
    assert {ip for ip, _ in exchange.dialled} == {PUBLIC}
    assert len(server.seen) == 2


@pytest.mark.parametrize(
    ("places", "reason"),
    [
        ({"/": "/"}, Reason.UNREADABLE),
        ({"/": "/1", "/1": "/2", "/2": "/3", "/3": "/4"}, Reason.UNREADABLE),
        ({"/": "-"}, Reason.UNREADABLE),
        ({"/": "http://exa mple/"}, Reason.BLOCKED),
        ({"/": "http://public.example/" + "a" * 2_000_000}, Reason.TOO_LARGE),
    ],
    ids=["loop", "too many", "nowhere", "nonsense", "2 MB"],
)
async def test_redirects_that_lead_nowhere_end_in_an_error(
    places: dict[str, str], reason: Reason
) -> None:
    """The ERROR family of redirect_chains.txt: three redirects at most (S001-12)."""
    async with serving(_redirecting(places)) as server, new_egress(dial=Exchange(server)) as egress:
        with pytest.raises(EgressError) as caught:
            await egress.request(Request(url="http://public.example/"))

    assert caught.value.reason is reason
    assert len(server.seen) <= 4


_PIECES = """
127.0.0.1 0x7f.1 [::1] [::ffff:10.0.0.1] 169.254.169.254 2130706433 １０.1 [64:ff9b::7f00:1]
public.example @ : 80 / \\ ? # . %31 。 http:// // https: %2e 0 017700000001 [fe80::1%25lo] x@ [::]
"""
_pieces = st.sampled_from(["\t", "\n", *_PIECES.split()])
_urls = st.one_of(
    st.text(max_size=40).map(lambda text: f"http://{text}"),
    st.lists(_pieces, max_size=6).map(lambda parts: "http://" + "".join(parts)),
    st.ip_addresses().map(lambda ip: f"http://[{ip}]/" if ip.version == 6 else f"http://{ip}/"),
    st.integers(0, 2**33).map(lambda number: f"http://{number:#x}/"),
)


@pytest.fixture(scope="module")
def runner() -> Iterator[asyncio.Runner]:
    """A loop for all examples: making one takes longer than asking."""
    with asyncio.Runner() as runner:
        yield runner


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(_urls)
def test_whatever_the_url_text_a_denied_address_is_never_dialled(
    runner: asyncio.Runner, url: str
) -> None:
    """The promise of the guard, as a property; the DNS here answers 127.0.0.1 to everything."""
    exchange = Exchange()

    class Liar(StubResolver):
        async def resolve(self, host, port=0, family=socket.AF_UNSPEC):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
            self.answers = {host.rstrip("."): [["127.0.0.1"]]}
            return await super().resolve(host, port, family)

    runner.run(_reason(url, exchange, Liar()))

    dialled = [ip_address(ip) for ip, _ in exchange.dialled]
    assert not [
        ip for ip in dialled for net in DENIED_NETWORKS if ip.version == net.version and ip in net
    ]
