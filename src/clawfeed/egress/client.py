"""The only door out: requests leave through `Egress.request`, mail through `Egress.dial`."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from time import monotonic
from typing import Self

from aiohttp.abc import AbstractResolver

from clawfeed.domain.because import Because, Rule
from clawfeed.domain.errors import EgressError, Reason
from clawfeed.egress.addresses import has_route
from clawfeed.egress.answer import Answer, read_answer
from clawfeed.egress.dialler import AddrInfo, Dialler
from clawfeed.egress.failures import (
    NETWORK_ERRORS,
    NetworkFault,
    classify,
)
from clawfeed.egress.guard import Guard
from clawfeed.egress.outage import FailureOrigin, NetworkWatch
from clawfeed.egress.politeness import DEFAULT_MANNERS, Manners, Politeness
from clawfeed.egress.redirects import RedirectChain
from clawfeed.egress.registrable_domain import site_of
from clawfeed.egress.request_and_response import (
    Request,
    Response,
    check_request,
)
from clawfeed.egress.resolver import GuardedResolver, SystemResolver
from clawfeed.egress.session import ClientSessions, Dial, GuardedSockets, begin_dial
from clawfeed.egress.stream import DEFAULT_STREAM, MailServer, Stream, StreamLimits
from clawfeed.egress.timeouts import Deadlines
from clawfeed.egress.url import ParsedUrl, parse
from clawfeed.runtime.async_resource import AsyncResource

# How often we look whether there is still a route while requests are under way: 20 µs each.
ROUTE_SECONDS = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class EgressConfig:
    """What the operator may say about going out."""

    allow: str = ""  # EGRESS_ALLOW
    manners: Manners = DEFAULT_MANNERS
    user_agent: str = "ClawFeed-Collector/1.0"


def open_socket(info: AddrInfo) -> socket.socket:
    return socket.socket(info[0], info[1], info[2])


class Egress(AsyncResource):
    """An open door. Use as `async with Egress(...) as egress`.

    *resolver* answers for names, *dial* opens the socket for an address that was approved,
    *has_route* knows whether there is a way to the internet; tests bring their own.
    """

    def __init__(
        self,
        config: EgressConfig,
        *,
        clock: Callable[[], datetime],
        dice: Callable[[], float],
        resolver: AbstractResolver | None = None,
        dial: Callable[[AddrInfo], socket.socket] = open_socket,
        has_route: Callable[[], bool] = has_route,
    ) -> None:
        self.guard = Guard.parse(config.allow)
        self._config = config
        self._clock = clock
        guarded = GuardedResolver(resolver or SystemResolver(), self.guard)
        sockets = GuardedSockets(self.guard, dial)
        self._dialler = Dialler(guarded, sockets.open)
        self._sessions = ClientSessions(guarded, sockets, user_agent=config.user_agent)
        self._politeness = Politeness(config.manners, clock=clock, dice=dice)
        self._watch = NetworkWatch(has_route)
        self._deadlines = Deadlines()
        self._under_way = 0
        self._route_watch: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self._sessions.open()
        self._route_watch = asyncio.create_task(self._watch_the_route())
        return self

    async def close(self) -> None:
        if self._route_watch is not None:
            self._route_watch.cancel()
            await asyncio.gather(self._route_watch, return_exceptions=True)
            self._route_watch = None
        await self._sessions.close()

    async def request(self, request: Request) -> Response:
        """Ask, follow redirects, and bring back the answer, whatever its status.

        1. check the URL; 2. wait for our turn at its host; 3. connect to a checked address, ask
        and read within the limits; 4. on a redirect, again from 1 with the new URL.

        Raises `EgressError`: `BLOCKED` by the guard (nothing left the house for that hop), `BUSY`
        when the host rests or our queue for it is full (without a status: we did not ask),
        `OFFLINE` when our own network is down, and else what the host failed at. Its *was_sent*
        says whether anything of the request, at any hop, may have left; who cancels a request
        cannot know and must assume it. Messages never hold more of a URL than its scheme and host.
        """
        check_request(request)
        trip = RedirectChain(request, self.guard)
        try:
            return await self._travel(trip, request)
        except EgressError as error:
            error.was_sent = trip.was_sent
            raise

    async def _travel(self, trip: RedirectChain, request: Request) -> Response:
        while True:
            answer = await self._hop(trip, request)
            if not trip.follow(answer.status, answer.locations):
                return Response(
                    status=answer.status,
                    url=trip.target.href,
                    headers=answer.headers,
                    body=answer.body,
                    permanent_url=trip.moved.href if trip.moved else None,
                )

    async def dial(self, server: MailServer, limits: StreamLimits = DEFAULT_STREAM) -> Stream:
        """An open connection to a mail server, to be closed by the caller (`async with`).

        The same guard as for requests: every address that the name has is checked, and once more
        the one that is dialled. Raises `EgressError` with *was_sent* False.
        """
        target, started = self.guard.mail_server(server.host, server.port), monotonic()
        dial = begin_dial(target.host)
        self._under_way += 1
        try:
            with self._deadlines.within(limits.total.total_seconds()):
                inbox = await self._dialler.connect(
                    target, cap=limits.received, is_encrypted=server.is_encrypted
                )
        except NETWORK_ERRORS as error:
            raise self._translate(error, target, dial, started) from None
        finally:
            self._under_way -= 1
        self._note_answer(target)
        return Stream(
            inbox,
            name=target.host,
            ends_at=started + limits.total.total_seconds(),
            deadlines=self._deadlines,
            tls=self._dialler.tls,
            translate=lambda error: self._translate(error, target, dial, started),
        )

    def cooldowns(self) -> Mapping[str, datetime]:
        """The sites that asked for rest, and until when; to be stored and shared."""
        return self._politeness.cooldowns()

    def impose(self, host: str, until: datetime) -> None:
        """Let a site rest until then: *host* is a key of `cooldowns` or a host name."""
        self._politeness.impose(_site(host), until)

    def hold_off(self, host: str, wait: timedelta) -> None:
        """Let the next request at a site start *wait* from now at the earliest."""
        self._politeness.hold_off(_site(host), wait)

    @property
    def is_offline(self) -> bool:
        """Whether our own network was down when we last tried."""
        return self._watch.is_offline

    async def _hop(self, trip: RedirectChain, request: Request) -> Answer:
        site, manners = site_of(trip.target), request.manners or self._config.manners
        queue = await self._politeness.enter(site, manners)
        # The clock of the total limit stands still while we queue: that is not the host's fault.
        started, dial = monotonic(), begin_dial(trip.target.host)
        self._under_way += 1
        try:
            with self._deadlines.within(trip.left):
                answer = await self._exchange(trip, request, dial)
        except NETWORK_ERRORS as error:
            # `from None`: aiohttp's texts hold the URL and would show in a traceback.
            raise self._translate(error, trip.target, dial, started) from None
        finally:
            trip.left -= monotonic() - started
            trip.was_sent = trip.was_sent or dial.was_sent
            self._under_way -= 1
            self._politeness.leave(queue)
        if manners.notes_cooldown:
            self._politeness.heed(site, answer.status, answer.headers)
        return answer

    async def _exchange(self, trip: RedirectChain, request: Request, dial: Dial) -> Answer:
        session = self._sessions.of(may_be_repeated=request.may_be_repeated)
        response = await session.request(
            trip.method,
            trip.target.url,
            headers=trip.headers,
            data=trip.body,
            allow_redirects=False,
            trace_request_ctx=dial,
        )
        try:
            self._note_answer(trip.target)
            return await read_answer(response, request.limits.body)
        finally:
            # Keeps the connection if the answer was read to its end, and closes it if not.
            response.release()

    async def _watch_the_route(self) -> None:
        """An outage can begin and end between two answers; only who looks will know of it."""
        while True:
            await asyncio.sleep(ROUTE_SECONDS)
            if self._under_way:
                with suppress(OSError):  # out of file descriptors says nothing about routes
                    self._watch.note_route(monotonic())

    def _note_answer(self, target: ParsedUrl) -> None:
        if not self.guard.is_near(target):
            self._watch.answered(monotonic())

    def _translate(
        self, error: BaseException, target: ParsedUrl, dial: Dial, started: float
    ) -> EgressError:
        fault = classify(error)
        refusal = fault.refusal or dial.refusal
        if refusal is not None:
            return EgressError(refusal.reason, refusal.detail, refused=refusal.refused)
        verdict = self._verdict(fault, target, started)
        if verdict is FailureOrigin.OURS:
            down = "Our own network seems to be down."
            return EgressError(Reason.OFFLINE, down, postponed=Because(Rule.OFFLINE))
        is_doubtful = verdict is FailureOrigin.DOUBTFUL
        return EgressError(fault.reason, f"{target} {fault.detail}", is_doubtful=is_doubtful)

    def _verdict(self, fault: NetworkFault, target: ParsedUrl, started: float) -> FailureOrigin:
        """Whether our own network is to blame for a failure at a host out on the internet."""
        if self.guard.is_near(target):
            return FailureOrigin.THEIRS
        if fault.is_proof_of_life:
            self._watch.answered(monotonic())
        is_silent = fault.reason is Reason.TIMED_OUT
        if not (is_silent or fault.maybe_ours):
            return FailureOrigin.THEIRS
        return self._watch.lost(target.host, self._clock(), since=started, is_silent=is_silent)


def _site(host: str) -> str:
    return host if ":" in host else site_of(parse(f"http://{host}/"))
