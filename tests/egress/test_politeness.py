"""Few at a time, spaced, silent while a site rests (S001-10, F13, I4)."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from datetime import timedelta
from time import monotonic

import pytest

from clawfeed.domain.errors import EgressError, Reason
from clawfeed.egress.guard import Guard
from clawfeed.egress.politeness import MOST_SITES, Manners, Politeness
from clawfeed.egress.registrable_domain import registrable, site_of
from clawfeed.egress.request_and_response import Request
from tests.egress.loopback_servers import NOON, Asked, Clock, Exchange, new_egress, reply, serving


def _doormen(clock: Clock | None = None, **manners: timedelta | int) -> Politeness:
    given = Manners(**{"spacing": timedelta(0), **manners})  # type: ignore[arg-type]  # a table
    return Politeness(given, clock=clock or Clock(), dice=lambda: 0.0)


async def test_never_more_than_two_are_with_one_host_and_other_hosts_overlap() -> None:
    """Asserts overlap too: politeness must not turn into a queue for everybody."""
    inside: list[int] = [0]
    four_inside = asyncio.Event()

    async def handler(_: Asked, writer: asyncio.StreamWriter) -> None:
        inside.append(inside[-1] + 1)
        if inside[-1] == 4:
            four_inside.set()
        await four_inside.wait()
        await asyncio.sleep(0.05)
        inside.append(inside[-1] - 1)
        writer.write(reply(200))

    manners = Manners(at_once=2, spacing=timedelta(0))
    async with (
        serving(handler) as one,
        serving(handler) as two,
        new_egress(allow="127.0.0.0/8", manners=manners, dial=None) as egress,
    ):
        await asyncio.gather(
            *(
                egress.request(Request(url=f"http://127.0.0.1:{server.port}/{n}"))
                for n in range(6)
                for server in (one, two)
            )
        )

    assert one.most_at_once == two.most_at_once == 2
    assert max(inside) == 4


async def test_requests_to_one_host_are_spaced() -> None:
    starts: list[float] = []

    async def handler(_: Asked, writer: asyncio.StreamWriter) -> None:
        starts.append(monotonic())
        writer.write(reply(200))

    manners = Manners(at_once=4, spacing=timedelta(milliseconds=40))
    async with (
        serving(handler) as server,
        new_egress(manners=manners, dial=Exchange(server)) as egress,
    ):
        began = monotonic()
        await asyncio.gather(
            *(egress.request(Request(url=f"http://{n}.public.example/")) for n in range(5))
        )

    # A busy machine may be late, never early.
    for turn, start in enumerate(starts):
        assert start - began > turn * 0.04 - 0.002


async def test_the_dice_may_make_a_gap_half_as_long_again() -> None:
    given = Manners(spacing=timedelta(milliseconds=40))
    doormen = Politeness(given, clock=Clock(), dice=lambda: 1.0)
    began = monotonic()

    for _ in range(2):
        await doormen.enter("a.example")

    assert monotonic() - began > 0.06 - 0.002


async def test_only_the_usual_manners_without_a_key_queue_at_the_site_itself() -> None:
    """A queue has one number of slots: who allows another number stands in another queue."""
    doormen = _doormen(at_once=2)
    at_site = [await doormen.enter("a.example", manners) for manners in (None, Manners())]
    others = [
        await doormen.enter("a.example", Manners(key=key, at_once=at_once))
        for key, at_once in (("", 1), ("chat", 1), ("chat", 2), ("a.example", 2))
    ]

    assert at_site == ["a.example"] * 2
    assert len({"a.example", *others}) == 1 + len(others)


async def test_those_in_the_queue_go_home_when_the_site_asks_for_rest() -> None:
    """F13: of a storm of 30, only those already inside are asked."""

    async def handler(_: Asked, writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(0.05)
        writer.write(reply(429, retry_after="60"))

    manners = Manners(at_once=2, spacing=timedelta(0))
    async with (
        serving(handler) as server,
        new_egress(manners=manners, dial=Exchange(server)) as egress,
    ):
        results = await asyncio.gather(
            *(egress.request(Request(url="http://busy.example/")) for _ in range(30)),
            return_exceptions=True,
        )

    refused = [result for result in results if isinstance(result, EgressError)]
    assert len(server.seen) == 2
    assert len(refused) == 28
    assert {(error.reason, error.wait) for error in refused} == {
        (Reason.BUSY, timedelta(seconds=60))
    }


async def test_a_queue_that_is_too_long_gives_the_turn_back() -> None:
    doormen = _doormen(at_once=1, patience=timedelta(milliseconds=50))
    await doormen.enter("slow.example")

    with pytest.raises(EgressError) as caught:
        await doormen.enter("slow.example")

    assert (caught.value.reason, caught.value.status) == (Reason.BUSY, None)
    doormen.leave("slow.example")
    await doormen.enter("slow.example")


@pytest.mark.parametrize(
    ("status", "headers", "rest"),
    [
        (429, {}, 60),
        (429, {"retry-after": "0"}, 60),
        (429, {"retry-after": "5"}, 60),
        (429, {"retry-after": "59"}, 60),
        (429, {"retry-after": "61"}, 61),
        (429, {"retry-after": "-5"}, 60),
        (429, {"retry-after": "9" * 30}, 86400),
        (429, {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "40"}, 60),
        (503, {"retry-after": "0"}, 60),
        (503, {"retry-after": "1"}, 60),
        (503, {"retry-after": "61"}, 61),
        (503, {"retry-after": "-5"}, None),
        (503, {}, None),
        (200, {"retry-after": "30"}, None),
        (200, {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "40"}, 40),
        (403, {"x-ratelimit-remaining": "0.0", "x-ratelimit-reset": "40"}, 40),
        (
            200,
            {
                "x-ratelimit-remaining": "0",
                "x-ratelimit-reset": str(int(NOON.timestamp()) + 900),
            },
            900,
        ),
        (200, {"x-ratelimit-remaining": "1", "x-ratelimit-reset": "40"}, None),
        (200, {"x-ratelimit-remaining": "0"}, None),
    ],
)
async def test_how_long_a_site_rests(
    status: int, headers: Mapping[str, str], rest: int | None
) -> None:
    """T20: the wait of a 429 and of a 503 is kept within 60 s and a day (retry_after.tsv)."""
    doormen = _doormen()

    doormen.heed("a.example", status, headers)

    expected = {} if rest is None else {"a.example": NOON + timedelta(seconds=rest)}
    assert doormen.cooldowns() == expected


@pytest.mark.parametrize("spelling", ["x-ratelimit", "x-rate-limit", "ratelimit"])
@pytest.mark.parametrize("status", [200, 429])
@pytest.mark.parametrize(
    ("remaining", "seconds", "rest"),
    [("0", 900, 900), ("0", 10**8, 86_400), ("7", 900, None), ("0", -900, None)],
)
async def test_a_used_up_window_is_obeyed_however_it_is_spelled(
    spelling: str, status: int, remaining: str, seconds: int, rest: int | None
) -> None:
    """X writes x-rate-limit-*; no window is longer than a day (F13)."""
    doormen = _doormen()
    reset = str(int(NOON.timestamp()) + seconds)
    headers = {f"{spelling}-remaining": remaining, f"{spelling}-reset": reset}

    doormen.heed("x.com", status, headers)

    rest = rest or (60 if status == 429 else None)
    assert doormen.cooldowns() == ({"x.com": NOON + timedelta(seconds=rest)} if rest else {})


async def test_a_rest_is_never_shortened_nor_longer_than_a_day() -> None:
    doormen = _doormen()

    doormen.impose("a.example", NOON + timedelta(hours=2))
    doormen.impose("a.example", NOON + timedelta(hours=1))
    doormen.impose("b.example", NOON + timedelta(days=400))

    assert doormen.cooldowns() == {
        "a.example": NOON + timedelta(hours=2),
        "b.example": NOON + timedelta(days=1),
    }


@pytest.mark.slow
async def test_idle_sites_are_forgotten_and_resting_ones_are_bounded() -> None:
    doormen = _doormen()

    await doormen.enter("inside.example")
    for number in range(3 * MOST_SITES):
        doormen.impose(f"{number}.example", NOON + timedelta(seconds=number + 1))
    for number in range(3 * MOST_SITES):
        await doormen.enter(f"idle{number}.example")
        doormen.leave(f"idle{number}.example")

    assert len(doormen._sites) <= MOST_SITES + 1024
    doormen.leave("inside.example")


@pytest.mark.parametrize(
    ("url", "site"),
    [
        ("http://example.com/", "example.com"),
        ("https://a.b.example.com:8443/", "example.com"),
        ("http://www.bbc.co.uk/", "bbc.co.uk"),
        ("http://news.sina.com.cn/", "sina.com.cn"),
        ("http://someone.github.io/", "someone.github.io"),
        ("http://x.someone.github.io./", "someone.github.io"),
        ("http://github.io/", "github.io"),
        ("http://www.statistik.co.at/", "statistik.co.at"),
        ("http://www.economie.gouv.fr/", "economie.gouv.fr"),
        ("http://mail.web.de/", "web.de"),
        ("http://a.b.someone.up.railway.app/", "someone.up.railway.app"),
        ("http://someone-uc.a.run.app/", "someone-uc.a.run.app"),
        ("http://bucket.s3.eu-west-1.amazonaws.com/", "bucket.s3.eu-west-1.amazonaws.com"),
        ("http://8.8.8.8/", "8.8.8.8:80"),
        ("https://[2606:4700:4700::1111]/", "2606:4700:4700::1111:443"),
        ("http://intranet:8080/", "intranet:8080"),
        ("http://a.localhost:8080/", "a.localhost"),
    ],
)
def test_which_requests_share_a_site(url: str, site: str) -> None:
    guard = Guard.parse("intranet:8080,a.localhost:8080")

    assert site_of(guard.target(url)) == site


STRANGERS = """
a.run.app s3.amazonaws.com up.railway.app trycloudflare.com hf.space r2.dev eu.org co.at gov.pl
edu.br gouv.fr gob.mx ac.uk com.cn github.io blogspot.com web.za
"""


@pytest.mark.parametrize("suffix", STRANGERS.split())
async def test_one_strangers_429_does_not_silence_another(suffix: str) -> None:
    """T19: where names below a suffix have different owners, each has its own rest."""

    async def handler(asked: Asked, writer: asyncio.StreamWriter) -> None:
        is_angry = asked.headers["host"].startswith("angry")
        writer.write(reply(429, retry_after="86400") if is_angry else reply(200))

    async with serving(handler) as server, new_egress(dial=Exchange(server)) as egress:
        await egress.request(Request(url=f"http://angry.{suffix}/"))
        answer = await egress.request(Request(url=f"http://calm.{suffix}/"))

        assert answer.status == 200
        with pytest.raises(EgressError):
            await egress.request(Request(url=f"http://angry.{suffix}/"))


@pytest.mark.parametrize("suffix", [*STRANGERS.split(), "run.app", "example.com", "intranet.lan"])
def test_the_name_of_a_site_is_its_own_site(suffix: str) -> None:
    """Names are stored (`host_cooldowns`), also those made before a suffix was known."""
    for host in (suffix, f"a.{suffix}", f"b.a.{suffix}"):
        name = registrable(host)

        assert registrable(name) == name
    assert registrable("run.app") == "run.app"
