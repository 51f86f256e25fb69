"""HTTP sessions whose every connection passes the guard, and which tell what became of it."""

from __future__ import annotations

import socket
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass
from types import SimpleNamespace

import aiohttp
from aiohttp.abc import AbstractResolver

from clawfeed.domain.errors import EgressError
from clawfeed.egress.cancellation import CancellableRequest
from clawfeed.egress.dialler import AddrInfo
from clawfeed.egress.failures import AddressRefusedError, NotRepeatedError
from clawfeed.egress.guard import Guard
from clawfeed.egress.protocol_limits import watch
from clawfeed.egress.response_limits import ACCEPT_ENCODING

# Answers are kept at most this long, so a name that moves is noticed (T2).
DNS_CACHE_SECONDS = 60
# Idle connections are open files; polls of one source are minutes apart, bursts are not.
KEEP_ALIVE_SECONDS = 4
# One header line; some sites' content security policies pass aiohttp's default of 8 KiB.
LONGEST_FIELD = 16_384
MOST_HEADERS = 128


@dataclass(slots=True)
class Dial:
    """For whom a connection is being made; what became of it is left here."""

    host: str
    refusal: EgressError | None = None  # the guard's no
    was_sent: bool = False  # a connection was handed the request


# aiohttp's socket factory hears an address only. The context tells it for which host: tasks that
# race to connect (happy eyeballs) inherit it.
_DIAL: ContextVar[Dial] = ContextVar("egress_dial")


def begin_dial(host: str) -> Dial:
    """Whatever this task connects to from now on is for *host*."""
    dial = Dial(host)
    _DIAL.set(dial)
    return dial


@dataclass(frozen=True, slots=True)
class GuardedSockets:
    """Sockets for addresses that the guard approves. *dial* opens them."""

    guard: Guard
    dial: Callable[[AddrInfo], socket.socket]

    def open(self, info: AddrInfo) -> socket.socket:
        """The check that counts: on the very address about to be dialled, for every dial."""
        dial = _DIAL.get()
        address, port = info[4][:2]
        try:
            self.guard.check_address(dial.host, address, port)
        except EgressError as refusal:
            dial.refusal = refusal
            raise AddressRefusedError(refusal) from None
        return self.dial(info)


class ClientSessions:
    """Two: for requests that may be repeated, and for those that may leave once."""

    def __init__(
        self, resolver: AbstractResolver, sockets: GuardedSockets, *, user_agent: str
    ) -> None:
        self._resolver, self._sockets, self._user_agent = resolver, sockets, user_agent
        self._open: dict[bool, aiohttp.ClientSession] = {}  # by whether requests may be repeated

    def open(self) -> None:
        self._open[True] = self._session(self._connector())
        self._open[False] = self._session(self._connector(is_once=True), _never_repeat)

    async def close(self) -> None:
        for session in self._open.values():
            await session.close()
        self._open.clear()

    def of(self, *, may_be_repeated: bool) -> aiohttp.ClientSession:
        """The session for such a request; it is told of its `Dial` as `trace_request_ctx`."""
        if not self._open:
            raise RuntimeError("Egress is used outside its `async with`")
        return self._open[may_be_repeated]

    def _session(
        self, connector: aiohttp.TCPConnector, *middlewares: aiohttp.ClientMiddlewareType
    ) -> aiohttp.ClientSession:
        return aiohttp.ClientSession(
            connector=connector,
            middlewares=middlewares,
            trace_configs=[_sending()],
            response_class=CancellableRequest,
            headers={"User-Agent": self._user_agent, "Accept-Encoding": ACCEPT_ENCODING},
            cookie_jar=aiohttp.DummyCookieJar(),
            trust_env=False,  # T4: no proxy from the environment, no netrc
            auto_decompress=False,  # `response_limits.ResponseBody` unpacks, under its cap
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=None),  # ours is stricter
            max_line_size=LONGEST_FIELD,
            max_field_size=LONGEST_FIELD,
            max_headers=MOST_HEADERS,
        )

    def _connector(self, *, is_once: bool = False) -> aiohttp.TCPConnector:
        connector = aiohttp.TCPConnector(
            resolver=self._resolver,
            socket_factory=self._sockets.open,
            ttl_dns_cache=DNS_CACHE_SECONDS,
            # A connection that was kept may be closed by its server just as we write to it.
            force_close=is_once,
            keepalive_timeout=None if is_once else KEEP_ALIVE_SECONDS,
            # Callers bound how much they ask at once; a queue in here would eat the time limit.
            limit=0,
        )
        return watch(connector)


def _sending() -> aiohttp.TraceConfig:
    """Notes on the request's `Dial` that its connection was made and is about to be written to."""

    async def note(_: object, context: SimpleNamespace, __: object) -> None:
        context.trace_request_ctx.was_sent = True

    config = aiohttp.TraceConfig()
    config.on_request_headers_sent.append(note)
    return config


async def _never_repeat(
    request: aiohttp.ClientRequest, send: aiohttp.ClientHandlerType
) -> aiohttp.ClientResponse:
    """Without this aiohttp sends PUT, DELETE and GET again after a connection broke."""
    try:
        return await send(request)
    except (aiohttp.ClientOSError, aiohttp.ServerDisconnectedError) as error:
        raise NotRepeatedError(error) from None
