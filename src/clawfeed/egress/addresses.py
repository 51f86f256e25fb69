"""Which addresses are not the public internet: an explicit table, and nothing clever.

`ipaddress.is_global` passes 33 of the 73 addresses that must be denied (NAT64, 6to4, multicast,
site-local, IPv4-compatible ...), so its flags are not used.
"""

from __future__ import annotations

import errno
import socket
from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
    ip_network,
)
from typing import TypeAlias

Address: TypeAlias = IPv4Address | IPv6Address
Network: TypeAlias = IPv4Network | IPv6Network

# Written out in full, one line per family, so that it can be read against the IANA registries.
_TABLE: tuple[tuple[str, str], ...] = (
    ("0.0.0.0/8", "this network"),  # 0.0.0.0 reaches loopback on Linux
    ("10.0.0.0/8", "a private network"),
    ("100.64.0.0/10", "carrier-grade NAT"),  # and Alibaba's metadata, 100.100.100.200
    ("127.0.0.0/8", "loopback"),
    ("168.63.129.16/32", "the Azure wire server"),
    ("169.254.0.0/16", "link-local"),  # and the clouds' metadata, 169.254.169.254
    ("172.16.0.0/12", "a private network"),
    ("192.0.0.0/24", "IETF protocol assignments"),  # and Oracle's metadata, 192.0.0.192
    ("192.0.2.0/24", "documentation"),
    ("192.31.196.0/24", "AS112"),
    ("192.52.193.0/24", "AMT"),
    ("192.88.99.0/24", "the 6to4 relay"),
    ("192.168.0.0/16", "a private network"),
    ("192.175.48.0/24", "AS112"),
    ("198.18.0.0/15", "benchmarking"),
    ("198.51.100.0/24", "documentation"),
    ("203.0.113.0/24", "documentation"),
    ("224.0.0.0/4", "multicast"),
    ("240.0.0.0/4", "reserved"),  # and broadcast, 255.255.255.255
    ("::/96", "unspecified, loopback or IPv4-compatible"),
    ("::ffff:0:0/96", "IPv4-mapped"),
    ("::ffff:0:0:0/96", "IPv4-translated"),
    ("::/16", "reserved"),
    ("64:ff9b::/96", "NAT64"),
    ("64:ff9b:1::/48", "local-use NAT64"),
    ("100::/64", "discard-only"),
    ("100:0:0:1::/64", "a dummy prefix"),
    ("100::/8", "reserved"),
    ("200::/7", "reserved"),  # once NSAP
    ("400::/6", "reserved"),
    ("800::/5", "reserved"),
    ("1000::/4", "reserved"),
    ("2001::/23", "IETF protocol assignments"),  # Teredo, ORCHID, benchmarking, AMT, AS112
    ("2001:db8::/32", "documentation"),
    ("2002::/16", "6to4"),
    ("2620:4f:8000::/48", "AS112"),
    ("3ffe::/16", "the 6bone, given back"),
    ("3fff::/20", "documentation"),
    ("5f00::/16", "segment routing"),
    # All else outside 2000::/3 that IANA holds back: whoever routes it, routes it at home.
    ("4000::/3", "reserved"),
    ("6000::/3", "reserved"),
    ("8000::/3", "reserved"),
    ("a000::/3", "reserved"),
    ("c000::/3", "reserved"),
    ("e000::/4", "reserved"),
    ("f000::/5", "reserved"),
    ("f800::/6", "reserved"),
    ("fc00::/7", "a private network"),  # and AWS and GCP metadata over IPv6
    ("fe00::/9", "reserved"),
    ("fe80::/10", "link-local"),
    ("fec0::/10", "site-local"),
    ("ff00::/8", "multicast"),
)
_FAMILIES: tuple[tuple[Network, str], ...] = tuple((ip_network(net), why) for net, why in _TABLE)

DENIED_NETWORKS: tuple[Network, ...] = tuple(net for net, _ in _FAMILIES)

# RFC 5214: an interface identifier of [02]00:5efe carries an IPv4 address behind any prefix.
_ISATAP = (0x00005EFE, 0x02005EFE)


def denial(address: Address) -> str | None:
    """Why this address is not the public internet; None if it is."""
    for net, why in _FAMILIES:
        if address.version == net.version and address in net:
            return why
    if isinstance(address, IPv6Address):
        if address.scope_id is not None:
            return "an address with a zone"
        if (int(address) >> 32) & 0xFFFFFFFF in _ISATAP:
            return "ISATAP"
    return None


def is_own(address: Address) -> bool:
    """Whether packets to this address would come back to this very machine.

    Asks the routing table by connecting a UDP socket, which sends nothing: for an address of
    our own the kernel picks that same address as the source.
    """
    family = socket.AF_INET if address.version == 4 else socket.AF_INET6
    return _source_address(family, str(address)) == address


def has_route() -> bool:
    """Whether this machine knows any way to the internet. Sends nothing."""
    return (
        _source_address(socket.AF_INET, "1.1.1.1") is not None
        or _source_address(socket.AF_INET6, "2606:4700:4700::1111") is not None
    )


def _source_address(family: socket.AddressFamily, towards: str) -> Address | None:
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((towards, 9))
            return ip_address(probe.getsockname()[0])
    except OSError as error:
        # Out of file descriptors says nothing about routes.
        if error.errno in (errno.EMFILE, errno.ENFILE):
            raise
        return None
