"""Addresses nobody outside may send us to, in every spelling a URL can give them (T1)."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_network

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

# What the registries of special-purpose addresses keep from the public internet, and what clouds
# put behind public-looking ones. Written here once more: the guard's own table is what is tested.
_BLOCKS = """
0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24
192.0.2.0/24 192.31.196.0/24 192.52.193.0/24 192.88.99.0/24 192.168.0.0/16 192.175.48.0/24
198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4 168.63.129.16/32
::/128 ::1/128 ::/96 ::ffff:0:0/96 ::ffff:0:0:0/96 64:ff9b::/96 64:ff9b:1::/48 100::/64
100:0:0:1::/64 2001::/23 2001:db8::/32 2002::/16 2620:4f:8000::/48 3fff::/20 5f00::/16
fc00::/7 fe80::/10 fec0::/10 ff00::/8
"""
NOT_PUBLIC: tuple[Network, ...] = tuple(map(ip_network, _BLOCKS.split()))


def inside() -> Iterator[Address]:
    """The first and the last address of every block."""
    for net in NOT_PUBLIC:
        yield from (net[0], net[-1])


def just_outside() -> Iterator[Address]:
    """The public addresses next to a block."""
    for net in NOT_PUBLIC:
        for number in (int(net[0]) - 1, int(net[-1]) + 1):
            if 0 <= number < 2**net.max_prefixlen:
                address = IPv4Address(number) if net.version == 4 else IPv6Address(number)
                if is_public(address):
                    yield address


def is_public(address: Address) -> bool:
    if any(address.version == net.version and address in net for net in NOT_PUBLIC):
        return False
    return address.version == 4 or (address in _GIVEN_OUT and address not in _GIVEN_BACK)


_GIVEN_OUT, _GIVEN_BACK = ip_network("2000::/3"), ip_network("3ffe::/16")


PRIVATE = ("127.0.0.1", "10.20.0.3", "169.254.169.254", "192.168.7.9", "172.20.3.4", "100.64.9.8")


def spellings(address: str) -> dict[str, str]:
    """The ways to write an IPv4 address as a host that readers of URLs take for the same."""
    number, parts = int(IPv4Address(address)), [int(part) for part in address.split(".")]
    first, second = parts[:2]
    return {
        "dotted": address,
        "dotted, ended": f"{address}.",
        "one number": f"{number}",
        "one hexadecimal": f"{number:#x}",
        "one capital hexadecimal": f"0X{number:X}",
        "one octal": f"0{number:o}",
        "hexadecimal parts": ".".join(f"{part:#x}" for part in parts),
        "octal parts": ".".join(f"0{part:o}" for part in parts),
        "padded octal parts": ".".join(f"00000{part:o}" for part in parts),
        "parts of every base": f"{first:#x}.{second}.0{parts[2]:o}.{parts[3]:#x}",
        "three parts": f"{first}.{second}.{number & 0xFFFF}",
        "two parts": f"{first}.{number & 0xFFFFFF}",
        "percent signs": "".join(f"%{ord(character):02x}" for character in address),
        **{name: _in_digits(address, zero) for name, zero in _DIGITS.items()},
        "circled digits": "".join(_CIRCLED.get(character, character) for character in address),
        **{f"dots {ord(dot):x}": address.replace(".", dot) for dot in "。．｡"},
    }


_DIGITS = {"full-width digits": "０", "bold digits": "𝟎", "double-struck digits": "𝟘"}
_CIRCLED = dict(zip("0123456789", "⓪①②③④⑤⑥⑦⑧⑨", strict=True))


def _in_digits(address: str, zero: str) -> str:
    return "".join(chr(ord(zero) + int(c)) if c.isdigit() else c for c in address)


def carriers(address: str) -> dict[str, str]:
    """The IPv6 hosts by which a packet may still end at an IPv4 address."""
    number = int(IPv4Address(address))
    high, low = number >> 16, number & 0xFFFF
    return {
        "mapped": f"[::ffff:{address}]",
        "mapped, in hexadecimal": f"[::ffff:{high:x}:{low:x}]",
        "mapped, in full": f"[0:0:0:0:0:FFFF:{high:04X}:{low:04X}]",
        "compatible": f"[::{address}]",
        "translated": f"[::ffff:0:{high:x}:{low:x}]",
        "NAT64": f"[64:ff9b::{high:x}:{low:x}]",
        "local NAT64": f"[64:ff9b:1::{high:x}:{low:x}]",
        "6to4": f"[2002:{high:x}:{low:x}::1]",
        "Teredo server": f"[2001:0:{high:x}:{low:x}:8000::]",
        "Teredo client": f"[2001:0:808:808:8000:1234:{high ^ 0xFFFF:x}:{low ^ 0xFFFF:x}]",
        "ISATAP": f"[fe80::5efe:{high:x}:{low:x}]",
    }


def private_urls() -> dict[str, str]:
    """URLs that all lead to a private address, by what is done to hide it."""
    found: dict[str, str] = {}
    for address in PRIVATE:
        for name, host in {**spellings(address), **carriers(address)}.items():
            found[f"{address}, {name}"] = f"http://{host}/"
        for name, url in _frames(address).items():
            found[f"{address}, {name}"] = url
    return found


def _frames(address: str) -> dict[str, str]:
    return {
        "another port": f"http://{address}:8080/feed",
        "behind a user": f"http://public.example@{address}/",
        "behind a user and a port": f"http://public.example:80@{address}:80/",
        "behind a slash as a user": f"http://public.example%2f@{address}/",
        "behind a backslash": f"http:\\\\{address}\\feed",
        "one slash": f"http:/{address}/",
        "many slashes": f"https://////{address}/",
        "a tab inside": f"http://{address[:2]}\t{address[2:]}/",
        "a line end inside": f"ht\ntp://{address}/",
        "before a fragment": f"http://{address}#@public.example/",
        "before a question": f"http://{address}?@public.example/",
        "another scheme": f"gopher://{address}:6379/_x",
    }
