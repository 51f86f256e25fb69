"""Connects to one of a name's addresses, each checked as it is dialled."""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import Callable
from functools import partial
from typing import Any, TypeAlias

from aiohttp.abc import AbstractResolver

from clawfeed.egress.failures import AddressRefusedError
from clawfeed.egress.stream import Inbox
from clawfeed.egress.url import ParsedUrl

AddrInfo: TypeAlias = tuple[int, int, int, str, tuple[Any, ...]]

# An address that does not answer must not use up the time of those behind it.
ATTEMPT_SECONDS = 5.0


class Dialler:
    """*resolver* has checked what it answers; *opened* checks the address it opens a socket for."""

    def __init__(
        self, resolver: AbstractResolver, opened: Callable[[AddrInfo], socket.socket]
    ) -> None:
        self._resolver = resolver
        self._opened = opened
        self._context: ssl.SSLContext | None = None

    def tls(self) -> ssl.SSLContext:
        """Certificates are verified against the system's authorities, and names with them."""
        if self._context is None:
            self._context = ssl.create_default_context()
        return self._context

    async def connect(self, target: ParsedUrl, *, cap: int, is_encrypted: bool) -> Inbox:
        """An open connection. Raises as sockets, TLS and the guard's refusals do."""
        context = self.tls() if is_encrypted else None
        sock = await self._connected(await self._addresses(target))
        # From here on the socket is the loop's, which closes it if the encryption fails.
        _, inbox = await asyncio.get_running_loop().create_connection(
            partial(Inbox, cap),
            sock=sock,
            ssl=context,
            server_hostname=target.host if is_encrypted else None,
        )
        return inbox

    async def _addresses(self, target: ParsedUrl) -> list[AddrInfo]:
        if target.address is not None:
            family = socket.AF_INET if target.address.version == 4 else socket.AF_INET6
            return [_info(family, target.host, target.port)]
        found = await self._resolver.resolve(target.host, target.port)
        return [_info(answer["family"], answer["host"], target.port) for answer in found]

    async def _connected(self, addresses: list[AddrInfo]) -> socket.socket:
        """The first that answers."""
        *others, last = addresses
        for info in others:
            try:
                async with asyncio.timeout(ATTEMPT_SECONDS):
                    return await self._try(info)
            except AddressRefusedError:
                raise
            except OSError:  # a time-out is one
                continue
        return await self._try(last)

    async def _try(self, info: AddrInfo) -> socket.socket:
        sock = self._opened(info)
        try:
            sock.setblocking(False)
            await asyncio.get_running_loop().sock_connect(sock, info[4])
        except BaseException:
            sock.close()
            raise
        return sock


def _info(family: int, host: str, port: int) -> AddrInfo:
    return family, socket.SOCK_STREAM, socket.IPPROTO_TCP, "", (host, port)
