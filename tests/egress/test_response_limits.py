"""Unpacking under a cap, piece by piece."""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Callable

import brotli  # type: ignore[import-untyped]  # ships no types
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clawfeed.domain.errors import EgressError, Reason
from clawfeed.egress.response_limits import ResponseBody


def _raw(data: bytes) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return packer.compress(data) + packer.flush()


PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "identity": lambda data: data,
    "gzip": gzip.compress,
    "x-gzip": gzip.compress,
    "deflate": zlib.compress,
    "DEFLATE": _raw,
    "br": lambda data: bytes(brotli.compress(data, quality=5)),
}


@pytest.mark.parametrize("encoding", PACKERS)
@given(data=st.binary(max_size=3000), times=st.integers(0, 80), step=st.integers(1, 700))
def test_what_was_packed_comes_back_however_it_is_sliced(
    encoding: str, data: bytes, times: int, step: int
) -> None:
    whole = data * times
    packed = PACKERS[encoding](whole)
    body = ResponseBody(encoding, 500_000)

    for start in range(0, len(packed), step):
        body.feed(packed[start : start + step])

    assert body.finish() == whole


SIZES = (1_000, 60_000, 65_536, 65_537, 96_000, 131_072, 250_000, 450_000)
KINDS: dict[str, Callable[[int], bytes]] = {
    "incompressible": os.urandom,
    "compressible": lambda size: (b"<item>the same again</item>" * (size // 20))[:size],
    "text": lambda size: b" ".join(b"%d" % (n * n) for n in range(size // 6))[:size],
}


@pytest.mark.slow
@pytest.mark.parametrize("step", [500, 16_384, 65_536, 10**7])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("encoding", PACKERS)
def test_an_answer_of_any_size_comes_back_whole(encoding: str, kind: str, step: int) -> None:
    """S001-12: what fits under the cap is taken, however much of it comes out of one piece."""
    for size in SIZES:
        whole = KINDS[kind](size)
        packed = PACKERS[encoding](whole)
        body = ResponseBody(encoding, 500_000)

        for start in range(0, len(packed), step):
            body.feed(packed[start : start + step])

        assert body.finish() == whole


@pytest.mark.parametrize("size", [10, 1024, 200_000])
@pytest.mark.parametrize("step", [1, 700, 10**7])
@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br"])
def test_what_follows_the_packed_data_is_ignored(encoding: str, step: int, size: int) -> None:
    """Whether it comes with the end or after it."""
    whole = KINDS["text"](size)
    sent = PACKERS[encoding](whole) + b"<!-- served by a proxy -->" * 50
    body = ResponseBody(encoding, 500_000)

    for start in range(0, len(sent), step):
        body.feed(sent[start : start + step])

    assert body.finish() == whole


@pytest.mark.parametrize("encoding", PACKERS)
def test_one_byte_more_than_the_cap_is_too_much(encoding: str) -> None:
    packed = PACKERS[encoding](os.urandom(1001))
    body = ResponseBody(encoding, 1000)

    with pytest.raises(EgressError) as caught:
        body.feed(packed)

    assert caught.value.reason is Reason.TOO_LARGE
    assert len(body.so_far()) <= 1000


@pytest.mark.parametrize("encoding", [name for name in PACKERS if name != "identity"])
def test_nothing_at_all_is_an_empty_body(encoding: str) -> None:
    assert ResponseBody(encoding, 10).finish() == b""


@pytest.mark.parametrize("encoding", [name for name in PACKERS if name != "identity"])
def test_a_body_cut_short_is_damaged(encoding: str) -> None:
    packed = PACKERS[encoding](os.urandom(2000))
    body = ResponseBody(encoding, 5000)
    body.feed(packed[:-6])

    with pytest.raises(EgressError) as caught:
        body.finish()

    assert caught.value.reason is Reason.UNREADABLE


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br"])
def test_garbage_is_damaged(encoding: str) -> None:
    body = ResponseBody(encoding, 5000)

    with pytest.raises(EgressError) as caught:
        body.feed(b"<html>not packed at all</html>")

    assert caught.value.reason is Reason.UNREADABLE


@pytest.mark.parametrize(
    "encoding", ["gzip, gzip", "gzip,br", "compress", "zstd", "gzip;q=1", "dcb", "identity, gzip"]
)
def test_stacked_and_unknown_encodings_are_refused(encoding: str) -> None:
    with pytest.raises(EgressError) as caught:
        ResponseBody(encoding, 10)

    assert caught.value.reason is Reason.UNREADABLE


def test_several_members_are_one_body_and_what_follows_is_ignored() -> None:
    body = ResponseBody("gzip", 100)

    body.feed(gzip.compress(b"one ") + gzip.compress(b"two") + b"\xff" * 50)

    assert body.finish() == b"one two"


def test_a_wrong_checksum_is_damaged() -> None:
    body = ResponseBody("gzip", 100)

    with pytest.raises(EgressError) as caught:
        body.feed(gzip.compress(b"text")[:-8] + b"\0" * 8)

    assert caught.value.reason is Reason.UNREADABLE


def test_endless_data_that_holds_nothing_is_too_much() -> None:
    body = ResponseBody("deflate", 1000)
    empty_blocks = b"\x00\x00\x00\xff\xff" * 12_000
    body.feed(empty_blocks)

    with pytest.raises(EgressError) as caught:
        body.feed(empty_blocks)

    assert caught.value.reason is Reason.TOO_LARGE
