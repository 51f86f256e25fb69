"""Where a request comes from, as far as that can be believed."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

from fastapi import Request

TrustedProxies = tuple[IPv4Network | IPv6Network, ...]
UNKNOWN = "unknown"
LONGEST_AGENT = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """Who asks: an address to count by, and what their browser calls itself."""

    address: str
    agent: str = ""

    def __str__(self) -> str:
        return f"{self.address} {self.agent}".strip()


# Who types a command comes from nowhere else.
COMMAND_LINE = Client(address="command line")


def client_of(request: Request, trusted: TrustedProxies) -> Client:
    """The caller; behind trusted proxies the last one in `X-Forwarded-For` who is not a proxy.

    Whoever is not a trusted proxy can write what they like there (CVE-2023-27591).
    """
    peer = request.client.host if request.client else UNKNOWN
    hops = ",".join(request.headers.getlist("x-forwarded-for")).split(",")
    while hops and _is_trusted(peer, trusted):
        told = _address(hops.pop())
        if told is None:
            break
        peer = str(told)
    known = _address(peer)
    return Client(address=str(known) if known else peer, agent=_agent(request))


def _is_trusted(peer: str, trusted: TrustedProxies) -> bool:
    address = _address(peer)
    return address is not None and any(address in network for network in trusted)


def _address(text: str) -> IPv4Address | IPv6Address | None:
    try:
        address = ip_address(text.strip().partition("%")[0])
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address


def _agent(request: Request) -> str:
    """The browser's own words, in one printable line: people see them in their list of sessions."""
    words = request.headers.get("user-agent", "")
    return "".join(c for c in words if unicodedata.category(c)[0] != "C")[:LONGEST_AGENT].strip()
