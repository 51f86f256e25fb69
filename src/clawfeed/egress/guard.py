"""Which URLs and addresses the house may talk to.

Two checks, and the second is the one that counts: `check_url` before anything happens, and
`check_address` on the very address about to be dialled, on every hop.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from ipaddress import ip_address, ip_network

from clawfeed.domain.errors import ConfigError, EgressError, Reason
from clawfeed.egress.addresses import DENIED_NETWORKS, Address, Network, denial, is_own
from clawfeed.egress.url import ParsedUrl, parse

__all__ = ["DENIED_NETWORKS", "AllowedAddresses", "Guard"]

# What browsers refuse (WHATWG Fetch, "bad ports"): services that would mistake HTTP for orders.
_FETCH_BAD_PORTS = frozenset(
    {0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95}
    | {101, 102, 103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179}
    | {389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601}
    | {636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000}
    | {6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080}
)
# Databases, queues and orchestration: never a feed, often without a password.
_DAEMON_PORTS = frozenset(
    {445, 873, 1099, 1433, 1434, 1521, 1883, 2181, 2375, 2376, 2379, 2380, 3260, 3306, 3389, 4369}
    | {5432, 5433, 5671, 5672, 5900, 5901, 5984, 5985, 5986, 6379, 6380, 6443, 7000, 7001, 7199}
    | {9042, 9092, 9160, 9200, 9300, 10250, 10255, 11211, 15672, 26379, 27017, 27018, 27019, 28017}
)
BAD_PORTS = _FETCH_BAD_PORTS | _DAEMON_PORTS
# Where mail servers take mail: relay, TLS from the start, submission, and its usual second door.
MAIL_PORTS = frozenset({25, 465, 587, 2525})

# What this machine shows the world anyway; any other port of our own address is ours alone.
_PUBLIC_PORTS = (80, 443)

# Names that only ever mean something near us. Judged by address too; refused early, so that
# asking for them does not even leave as a DNS question.
_LOCAL_SUFFIXES = (
    ".localhost",
    ".local",
    ".localdomain",
    ".internal",
    ".intranet",
    ".private",
    ".corp",
    ".home",
    ".lan",
    ".home.arpa",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class AllowedAddresses:
    """What `EGRESS_ALLOW` lets through: hosts at a port, and networks (at a port or at all)."""

    hosts: frozenset[tuple[str, int]] = frozenset()
    networks: tuple[tuple[Network, int | None], ...] = ()

    def covers_host(self, host: str, port: int) -> bool:
        return (host, port) in self.hosts

    def covers_address(self, address: Address, port: int) -> bool:
        return any(
            address.version == net.version and address in net and only in (None, port)
            for net, only in self.networks
        )

    def names_port(self, address: Address, port: int) -> bool:
        """Whether this very port was named: a whole network does not open its databases."""
        return any(
            address.version == net.version and address in net and only == port
            for net, only in self.networks
        )


class Guard:
    """Says no to everything that is not the public internet, but for what the operator allowed."""

    def __init__(
        self, allowed: AllowedAddresses | None = None, *, is_own: Callable[[Address], bool] = is_own
    ) -> None:
        self._allowed = allowed or AllowedAddresses()
        self._is_own = is_own
        # 2048 URLs are about 3 MB; parsing again costs 20 µs, so a miss is no tragedy.
        self.target: Callable[[str], ParsedUrl] = lru_cache(maxsize=2048)(self._checked)

    @classmethod
    def parse(cls, allow: str) -> Guard:
        """The guard for an `EGRESS_ALLOW` text; raises `ConfigError` naming what is wrong."""
        entries = [entry for part in allow.split(",") if (entry := part.strip())]
        hosts = frozenset(_host_port(entry) for entry in entries if "/" not in entry)
        networks = tuple(_network(entry) for entry in entries if "/" in entry)
        return cls(AllowedAddresses(hosts=hosts, networks=networks))

    def check_url(self, url: str) -> str:
        """The URL as browsers would write it. Raises `EgressError(BLOCKED)` if it may not leave."""
        return self.target(url).href

    def redirected(self, base: ParsedUrl, location: str) -> ParsedUrl:
        """Where a redirect leads, checked like any other URL."""
        return self._check(parse(location, base))

    def mail_server(self, host: str, port: int) -> ParsedUrl:
        """The mail server at *host*. Raises `EgressError(BLOCKED)` if it may not be dialled.

        Like a URL, but on the ports of mail only, and on those that the operator has named.
        """
        target = replace(parse(f"http://{_bracketed(host)}:{port}/"), scheme="smtp")
        if self._allowed.covers_host(target.host, target.port):
            return target
        if target.port not in MAIL_PORTS and not self._names_port(target):
            raise _refusal(f"Port {target.port} of {target.host} is not a port for mail.", target)
        return self._check_place(target)

    def check_address(self, host: str, ip: str | Address, port: int) -> None:
        """Raise `EgressError(BLOCKED)` unless *ip*, dialled for *host*, may be connected to."""
        host = host.rstrip(".")
        if self._allowed.covers_host(host, port):
            return
        address = ip_address(ip) if isinstance(ip, str) else ip
        if self._allowed.covers_address(address, port):
            return
        why = denial(address)
        if why is None and port not in _PUBLIC_PORTS and self._is_own(address):
            why = "this very machine"
        if why is not None:
            detail = f"{host or 'The host'} leads to an address that is not public ({why})."
            raise EgressError(Reason.BLOCKED, detail, refused=(host, port))

    def is_near(self, target: ParsedUrl) -> bool:
        """Whether reaching it says nothing about the internet: allowed, or a local name."""
        if self._allowed.covers_host(target.host, target.port):
            return True
        if target.address is not None:
            return denial(target.address) is not None
        return _is_local_name(target.host)

    def _checked(self, url: str) -> ParsedUrl:
        return self._check(parse(url))

    def _check(self, target: ParsedUrl) -> ParsedUrl:
        if self._allowed.covers_host(target.host, target.port):
            return target
        if target.port in BAD_PORTS and not self._names_port(target):
            detail = f"Port {target.port} of {target.host} is not a port for web pages."
            raise _refusal(detail, target)
        return self._check_place(target)

    def _check_place(self, target: ParsedUrl) -> ParsedUrl:
        if target.address is not None:
            self.check_address(target.host, target.address, target.port)
        elif _is_local_name(target.host) and not self._allowed.networks:
            raise _refusal(f"{target.host} is a name of a local network.", target)
        return target

    def _names_port(self, target: ParsedUrl) -> bool:
        """Whether the operator named the port of this address."""
        address = target.address
        return address is not None and self._allowed.names_port(address, target.port)


def _bracketed(host: str) -> str:
    """*host* as it stands in a URL, where it must not be able to end before its end."""
    if re.search(r"[/?#@\\\[\]]", host):
        raise EgressError(Reason.BLOCKED, "The name of the mail server is not valid.")
    return f"[{host}]" if ":" in host else host


def _is_local_name(host: str) -> bool:
    return "." not in host or host.endswith(_LOCAL_SUFFIXES)


def _host_port(entry: str) -> tuple[str, int]:
    try:
        target = parse(f"http://{entry}/")
    except EgressError:
        raise _misconfigured(entry) from None
    written_port = entry.rpartition(":")[2]
    if not written_port.isascii() or not written_port.isdigit() or target.port == 0:
        raise _misconfigured(entry)
    return target.host, target.port


def _network(entry: str) -> tuple[Network, int | None]:
    address, _, rest = entry.partition("/")
    length, colon, port = rest.partition(":")
    try:
        network = ip_network(f"{address.strip('[]')}/{length.strip('[]')}")
        only = int(port) if colon else None
    except ValueError:
        raise _misconfigured(entry) from None
    if only is not None and not 1 <= only <= 65535:
        raise _misconfigured(entry)
    return network, only


def _misconfigured(entry: str) -> ConfigError:
    return ConfigError(
        f"EGRESS_ALLOW: {entry!r} is neither host:port (intranet.example:8080) "
        "nor a network (10.0.0.0/8)."
    )


def _refusal(detail: str, target: ParsedUrl) -> EgressError:
    return EgressError(Reason.BLOCKED, detail, refused=(target.host, target.port))
