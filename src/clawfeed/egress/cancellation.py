"""Taking a request back that nobody waits for any more."""

from __future__ import annotations

import socket
import struct

import aiohttp

# Closing with no time to linger: the kernel drops what was not delivered, and sends RST.
_NO_LINGER = struct.pack("ii", 1, 0)


class CancellableRequest(aiohttp.ClientResponse):
    """An answer that is closed only when it is given up, and takes its request back then.

    Without this a request that was written while our network was down is still delivered when
    the network is back, beside the ones that somebody waits for (F8, I4).
    """

    def close(self) -> None:
        transport = self.connection.transport if self.connection else None
        if transport is not None and not transport.is_closing():
            sock = transport.get_extra_info("socket")
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _NO_LINGER)
        super().close()
