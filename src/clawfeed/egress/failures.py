"""What the libraries' errors mean, as a table. Our knowledge base: ten lines per case at most.

Texts name scheme and host only: aiohttp's own messages carry the URL, and URLs carry tokens.
"""

from __future__ import annotations

import errno
import socket
import ssl
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import aiohttp
from aiohttp.http_exceptions import LineTooLong

from clawfeed.domain.errors import EgressError, Reason


class AddressRefusedError(OSError):
    """Our guard's no, in the shape aiohttp lets through: an error of the network."""

    def __init__(self, refusal: EgressError) -> None:
        super().__init__(errno.EACCES, "refused by our guard")
        self.refusal = refusal


# All that aiohttp, ssl, socket and the idna codec raise for the other side's faults.
NETWORK_ERRORS = (aiohttp.ClientError, OSError, UnicodeError)


@dataclass(frozen=True, slots=True)
class NetworkFault:
    """A failure in our words. *detail* continues the host's name: "example.org *detail*"."""

    reason: Reason
    detail: str
    maybe_ours: bool = False  # no route, no DNS: may be our own network
    is_proof_of_life: bool = False  # something out there did speak to us
    refusal: EgressError | None = None


class FloodError(aiohttp.ClientError):
    """An answer we stopped because of all that came around it."""

    def __init__(self, fault: NetworkFault) -> None:
        super().__init__(fault.detail)
        self.fault = fault


class NotRepeatedError(aiohttp.ClientError):
    """A connection that broke, in a shape for which aiohttp does not send the request again."""

    def __init__(self, error: Exception) -> None:
        super().__init__("the connection broke")
        self.error = error


_NO_ROUTE = NetworkFault(Reason.UNREACHABLE, "cannot be reached: no route to it.", maybe_ours=True)
_NO_FILES = NetworkFault(Reason.OUR_BUG, "was not asked: too many files are open on our side.")
_CUT = NetworkFault(
    Reason.UNREACHABLE, "closed the connection before it had answered.", is_proof_of_life=True
)
_BROKE_OFF = NetworkFault(
    Reason.UNREACHABLE, "broke off in the middle of its answer.", is_proof_of_life=True
)
_NOT_HTTP = NetworkFault(Reason.UNREADABLE, "did not answer in proper HTTP.", is_proof_of_life=True)
BIG_HEADERS = NetworkFault(Reason.TOO_LARGE, "sent more headers than we take.")
MANY_INTERIM = NetworkFault(
    Reason.UNREADABLE, "announced an answer again and again, and sent none.", is_proof_of_life=True
)
MUCH_FRAMING = NetworkFault(
    Reason.UNREADABLE, "sent far more packaging than content.", is_proof_of_life=True
)
_BAD_NAME = NetworkFault(Reason.BLOCKED, "is not a valid host name.")
_TIMED_OUT = NetworkFault(Reason.TIMED_OUT, "did not finish its answer in time.")
_NO_TLS = NetworkFault(Reason.UNREACHABLE, "could not agree with us on encryption.")
_UNREACHABLE = NetworkFault(Reason.UNREACHABLE, "cannot be reached.")

_DNS: dict[int, NetworkFault] = {
    socket.EAI_AGAIN: NetworkFault(
        Reason.UNREACHABLE, "could not be looked up in the DNS just now.", maybe_ours=True
    ),
    # macOS says so of every name while it is offline, and so does the resolver of a network that
    # is shut off from the world.
    socket.EAI_NONAME: NetworkFault(
        Reason.UNREACHABLE, "does not exist in the DNS.", maybe_ours=True
    ),
}
_DNS_OTHER = NetworkFault(Reason.UNREACHABLE, "could not be looked up in the DNS.")

_ERRNO: dict[int, NetworkFault] = {
    errno.ECONNREFUSED: NetworkFault(
        Reason.UNREACHABLE, "refused the connection.", is_proof_of_life=True
    ),
    errno.ENETUNREACH: _NO_ROUTE,
    errno.EHOSTUNREACH: _NO_ROUTE,
    errno.ENETDOWN: _NO_ROUTE,
    errno.EADDRNOTAVAIL: _NO_ROUTE,
    errno.ETIMEDOUT: _TIMED_OUT,
    errno.ECONNABORTED: _CUT,
    errno.EPIPE: _CUT,
    errno.EMFILE: _NO_FILES,
    errno.ENFILE: _NO_FILES,
}

# OpenSSL's X509_V_ERR_* numbers.
_CERTIFICATE: dict[int, str] = {
    9: "has a certificate that is not valid yet.",
    10: "has a certificate that is out of date.",
    18: "has a certificate that it signed itself.",
    19: "has a certificate from an unknown authority.",
    20: "has a certificate from an unknown authority.",
    62: "has a certificate for another host.",
    64: "has a certificate for another host.",
}


def classify(error: BaseException) -> NetworkFault:
    """What went wrong, by what we do next. Never raises, never quotes the library."""
    for kind, meaning in _TABLE:
        if isinstance(error, kind):
            return meaning if isinstance(meaning, NetworkFault) else meaning(error)
    return _NOT_HTTP


def _refused(error: AddressRefusedError) -> NetworkFault:
    return NetworkFault(Reason.BLOCKED, "is not a public address.", refusal=error.refusal)


def _bad_response(error: aiohttp.ClientResponseError) -> NetworkFault:
    # aiohttp wraps its parser's error twice.
    cause = error.__cause__ and (error.__cause__.__cause__ or error.__cause__)
    return BIG_HEADERS if isinstance(cause, LineTooLong) else _NOT_HTTP


def _certificate(error: Exception) -> NetworkFault:
    code = getattr(error, "verify_code", 0)
    detail = _CERTIFICATE.get(code, "has a certificate that we cannot trust.")
    return NetworkFault(Reason.UNREACHABLE, detail, is_proof_of_life=True)


# The first kind that fits decides, so the special come before the general.
_TABLE: tuple[tuple[type[BaseException], NetworkFault | Callable[[Any], NetworkFault]], ...] = (
    (AddressRefusedError, _refused),
    (FloodError, lambda e: e.fault),
    (NotRepeatedError, lambda e: classify(e.error)),
    (aiohttp.ClientConnectorCertificateError, lambda e: _certificate(e.certificate_error)),
    (aiohttp.ClientConnectorError, lambda e: classify(e.os_error)),
    (aiohttp.ClientResponseError, _bad_response),
    (aiohttp.ClientPayloadError, _BROKE_OFF),
    (aiohttp.ServerDisconnectedError, _CUT),
    (aiohttp.InvalidURL, _BAD_NAME),
    (UnicodeError, _BAD_NAME),
    (TimeoutError, _TIMED_OUT),
    (socket.gaierror, lambda e: _DNS.get(e.errno, _DNS_OTHER)),
    (ssl.SSLCertVerificationError, _certificate),
    (ssl.SSLError, _NO_TLS),
    # Also the loop's own, without a number: an end in the middle of the handshake.
    (ConnectionResetError, _CUT),
    (OSError, lambda e: _ERRNO.get(e.errno, _UNREACHABLE)),
    (aiohttp.ClientConnectionError, _CUT),
)
