"""What the libraries' errors mean to us."""

from __future__ import annotations

import errno
import os
import socket
import ssl
from types import SimpleNamespace
from typing import Any, cast

import aiohttp
import pytest

from clawfeed.domain.errors import EgressError, Reason
from clawfeed.egress.failures import AddressRefusedError, classify

KEY = cast("Any", SimpleNamespace(host="h", port=1, is_ssl=False, ssl=True))


def _os(number: int) -> OSError:
    return aiohttp.ClientConnectorError(KEY, OSError(number, os.strerror(number)))


def _dns(number: int) -> OSError:
    return aiohttp.ClientConnectorDNSError(KEY, socket.gaierror(number, "dns"))


def _certificate(code: int) -> ssl.SSLCertVerificationError:
    error = ssl.SSLCertVerificationError(1, "certificate verify failed: s3cret")
    error.verify_code = code
    return error


@pytest.mark.parametrize(
    ("error", "reason", "maybe_ours"),
    [
        (_os(errno.ECONNREFUSED), Reason.UNREACHABLE, False),
        (_os(errno.ECONNRESET), Reason.UNREACHABLE, False),
        (_os(errno.ENETUNREACH), Reason.UNREACHABLE, True),
        (_os(errno.EHOSTUNREACH), Reason.UNREACHABLE, True),
        (_os(errno.ETIMEDOUT), Reason.TIMED_OUT, False),
        (_os(errno.EMFILE), Reason.OUR_BUG, False),
        (_os(errno.EPROTO), Reason.UNREACHABLE, False),
        (OSError("Multiple exceptions"), Reason.UNREACHABLE, False),
        (_dns(socket.EAI_AGAIN), Reason.UNREACHABLE, True),
        (_dns(socket.EAI_NONAME), Reason.UNREACHABLE, True),
        (_dns(socket.EAI_FAIL), Reason.UNREACHABLE, False),
        (_certificate(10), Reason.UNREACHABLE, False),
        (aiohttp.ClientConnectorCertificateError(KEY, _certificate(62)), Reason.UNREACHABLE, False),
        (
            aiohttp.ClientConnectorSSLError(KEY, ssl.SSLError(1, "s3cret")),
            Reason.UNREACHABLE,
            False,
        ),
        (aiohttp.ServerDisconnectedError("s3cret"), Reason.UNREACHABLE, False),
        (aiohttp.ClientOSError(errno.EPIPE, "s3cret"), Reason.UNREACHABLE, False),
        (aiohttp.ClientConnectionResetError("s3cret"), Reason.UNREACHABLE, False),
        (aiohttp.ClientPayloadError("s3cret"), Reason.UNREACHABLE, False),
        (aiohttp.ClientResponseError(KEY, (), message="s3cret"), Reason.UNREADABLE, False),
        (aiohttp.InvalidURL("http://s3cret"), Reason.BLOCKED, False),
        (UnicodeError("s3cret"), Reason.BLOCKED, False),
        (TimeoutError("s3cret"), Reason.TIMED_OUT, False),
        (aiohttp.ClientError("s3cret"), Reason.UNREADABLE, False),
    ],
)
def test_each_error_has_its_reason_and_a_text_of_our_own(
    error: BaseException, reason: Reason, *, maybe_ours: bool
) -> None:
    fault = classify(error)

    assert (fault.reason, fault.maybe_ours) == (reason, maybe_ours)
    assert fault.detail.endswith(".")
    assert "s3cret" not in fault.detail


def test_an_out_of_date_certificate_does_not_sound_like_an_expired_login() -> None:
    """SPEC settled 8."""
    assert "expired" not in classify(_certificate(10)).detail


def test_the_guards_own_words_come_through() -> None:
    refusal = EgressError(Reason.BLOCKED, "10.0.0.1 is private.")

    wrapped = aiohttp.ClientConnectorDNSError(KEY, AddressRefusedError(refusal))

    assert classify(wrapped).refusal is refusal
