"""Ports on loopback that nobody uses."""

from __future__ import annotations

import os
import socket
from itertools import count

# Below those that the system hands out by itself: there, whoever connects anywhere may take the
# port between our look and its use. Each test process has a range of its own.
FIRST, PER_PROCESS, PROCESSES = 12_000, 1_000, 20
_WORKER = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
# Where to begin differs between runs side by side.
_NUMBERS = count(os.getpid() % PER_PROCESS)


def can_be_bound(port: int) -> bool:
    """Whether nobody listens there; who has just ended may have left connections behind."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def free_port() -> int:
    """A port that was free a moment ago."""
    lowest = FIRST + _WORKER % PROCESSES * PER_PROCESS
    for number in _NUMBERS:
        port = lowest + number % PER_PROCESS
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise AssertionError("counting never ends")
