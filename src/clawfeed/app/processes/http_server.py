"""The HTTP server as a worker: listens, answers, and ends when asked."""

from __future__ import annotations

import contextlib
import logging
import socket
from collections.abc import Callable, Iterator
from datetime import timedelta

import uvicorn
from starlette.types import ASGIApp

from clawfeed.app.processes.listening import listen
from clawfeed.app.processes.ready_signal import signal_ready
from clawfeed.runtime.stop import Stop

log = logging.getLogger(__name__)

# Running requests get this long once we are asked to stop; streams must not hold us up.
DRAIN_TIMEOUT = timedelta(seconds=10)


class _Server(uvicorn.Server):
    """uvicorn without its signal handlers: `Service` has the only ones."""

    def __init__(self, config: uvicorn.Config, on_listening: Callable[[], None]) -> None:
        super().__init__(config)
        self._on_listening = on_listening

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets=sockets)
        self._on_listening()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


class HttpServer:
    """Serves *app*. The port is taken at construction, so that a clash shows at once.

    *greet* is called once it answers. *closing* is asked when we are: answers that last end by it.
    """

    name = "serve"

    def __init__(
        self, app: ASGIApp, *, host: str, port: int, base_url: str, closing: Stop | None = None
    ) -> None:
        self._socket = listen(host, port)
        self._closing = closing or Stop()
        self._base_url = base_url
        self.greet: Callable[[], None] = lambda: None
        self._server = _Server(server_config(app), self._listening)

    @property
    def port(self) -> int:
        return int(self._socket.getsockname()[1])

    async def run(self) -> None:
        await self._server.serve(sockets=[self._socket])

    def stop(self) -> None:
        self._server.should_exit = True
        self._closing.ask()

    def _listening(self) -> None:
        log.info("listening", extra={"url": self._base_url})
        signal_ready()
        self.greet()


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
