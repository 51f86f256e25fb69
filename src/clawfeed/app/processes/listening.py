"""A port to listen on, or one sentence on why it cannot be had."""

from __future__ import annotations

import errno
import socket

from clawfeed.domain.errors import ConfigError

BACKLOG = 2048


def check_address(host: str, port: int) -> None:
    """`ConfigError` if nobody can listen there now."""
    listen(host, port).close()


def listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listener = socket.socket(family, socket.SOCK_STREAM)
    except OSError as error:  # no IPv6 here
        raise _cannot_listen(host, port, error) from error
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    # Inherited by each connection. uvloop sets it anyway, asyncio does not where no protocol is
    # named: a body in two pieces would wait 40 ms for the client's delayed acknowledgement.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
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
