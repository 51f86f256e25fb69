"""The HTTP server as a worker: listens, answers, and ends when asked."""

from __future__ import annotations

import contextlib
import errno
import logging
import socket
from collections.abc import Iterator
from datetime import timedelta

import uvicorn
from starlette.types import ASGIApp

from clawfeed.domain.errors import ConfigError

log = logging.getLogger(__name__)

# Running requests get this long once we are asked to stop; streams must not hold us up.
DRAIN_TIMEOUT = timedelta(seconds=10)
BACKLOG = 2048


class _Server(uvicorn.Server):
    """uvicorn without its signal handlers: `Service` has the only ones."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


class HttpServer:
    """Serves *app*. The port is taken at construction, so that a clash shows at once."""

    name = "serve"

    def __init__(self, app: ASGIApp, *, host: str, port: int, base_url: str) -> None:
        self._socket = _listen(host, port)
        self._base_url = base_url
        self._server = _Server(server_config(app))

    @property
    def port(self) -> int:
        return int(self._socket.getsockname()[1])

    async def run(self) -> None:
        log.info("listening", extra={"url": self._base_url})
        await self._server.serve(sockets=[self._socket])

    def stop(self) -> None:
        self._server.should_exit = True


def server_config(app: ASGIApp) -> uvicorn.Config:
    """How *app* is served: no access log, no server header, no belief in proxies' headers."""
    return uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        lifespan="off",
        timeout_graceful_shutdown=int(DRAIN_TIMEOUT.total_seconds()),
    )


def check_address(host: str, port: int) -> None:
    """`ConfigError` if nobody can listen there now."""
    _listen(host, port).close()


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listener = socket.socket(family, socket.SOCK_STREAM)
    except OSError as error:  # no IPv6 here
        raise _cannot_listen(host, port, error) from error
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen(BACKLOG)  # from now on callers wait instead of being refused
    except OSError as error:
        listener.close()
        raise _cannot_listen(host, port, error) from error
    return listener


def _cannot_listen(host: str, port: int, error: OSError) -> ConfigError:
    match error.errno:
        case errno.EADDRINUSE:
            way_out = "stop what uses it, or choose another DIGEST_PORT"
        case errno.EACCES:
            way_out = "choose a DIGEST_PORT from 1024 up"
        case _:
            way_out = (
                "set DIGEST_HOST to an address of this machine, such as 127.0.0.1, or to 0.0.0.0 "
                "for all of them"
            )
    where = f"DIGEST_HOST {host}, DIGEST_PORT {port}"
    return ConfigError(f"cannot listen on {where} ({error.strerror}): {way_out}")
