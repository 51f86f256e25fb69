"""The guard alone: no connection is made here (S001-11, T1)."""

from __future__ import annotations

from ipaddress import IPv6Address, ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clawfeed.domain.errors import ConfigError, EgressError, Reason
from clawfeed.egress.addresses import denial, is_own
from clawfeed.egress.guard import DENIED_NETWORKS, AllowedAddresses, Guard
from tests.support.hostile_addresses import inside, just_outside, spellings

GUARD = Guard.parse("")


def is_allowed(url: str, guard: Guard = GUARD) -> bool:
    try:
        return bool(guard.check_url(url))
    except EgressError as error:
        return error.reason is not Reason.BLOCKED


def test_what_is_not_public_is_denied_from_its_first_address_to_its_last() -> None:
    """Proves S001-11 for single addresses."""
    assert [ip for ip in inside() if denial(ip) is None] == []


def test_the_neighbours_of_what_is_not_public_are_allowed() -> None:
    neighbours = list(just_outside())

    assert len(neighbours) >= 30
    assert [ip for ip in neighbours if denial(ip)] == []


@pytest.mark.parametrize(("name", "host"), spellings("93.184.216.34").items())
def test_a_public_address_is_understood_in_every_spelling_but_one(name: str, host: str) -> None:
    """What readers understand differently is refused; the rest becomes the plain address."""
    if name == "percent signs":
        assert not is_allowed(f"http://{host}/")
    else:
        assert GUARD.check_url(f"http://{host}/").rstrip("./") == "http://93.184.216.34"


@pytest.mark.parametrize(
    "ip",
    [
        "2607:f8b0::5efe:7f00:1",  # ISATAP behind a public prefix
        "2607:f8b0::200:5efe:a9fe:a9fe",
        "::1:7f00:1",  # outside 2000::/3, or given back: nobody's, so somebody's at home
        "0:0:0:1::1",
        "100:0:0:2::1",
        "200::1",
        "400::1",
        "1000::1",
        "3ffe::1",
        "4000::1",
        "8000::1",
        "e000::1",
        "f800::1",
        "fe00::1",
        "fe80::1%eth0",
        "2606:4700:4700::1111%1",  # a zone has no business out there
        "64:ff9b::8.8.8.8",
        "2002:808:808::1",
        "2001:0:53aa:64c:0:fbff:fefe:fefe",
        "::ffff:8.8.8.8",
        "::8.8.8.8",
        "::ffff:0:8.8.8.8",
        "2001:10::1",
        "2001:4:112::1",
        "168.63.129.16",
        "100.100.100.200",
        "255.255.255.255",
    ],
)
def test_embedded_and_special_addresses_are_denied(ip: str) -> None:
    with pytest.raises(EgressError):
        GUARD.check_address("host.example", ip, 443)


@pytest.mark.parametrize(
    "url",
    [
        # numbers in every dress
        "http://0x7f.1/",
        "http://0x7F000001/",
        "http://2130706433/",
        "http://017700000001/",
        "http://127.0.0.0x1/",
        "http://0300.0250.1/",
        "http://１２７.０.０.１/",
        "http://127。1/",
        "http://⑩.⓪.⓪.①/",
        "http://𝟏𝟐𝟕.𝟎.𝟎.𝟏/",
        "http://127.0.0.1.:80/",
        "http://[::ffff:7f00:1]/",
        "http://[0:0:0:0:0:ffff:127.0.0.1]/",
        "http://[::127.0.0.1]:8080/",
        "http://[2002:c0a8:101::]/",
        "http://[64:ff9b::0a00:1]/",
        "http://[2607:f8b0::5efe:0a00:1]/",
        "http://[fe80::1%25en0]/",
        "http://[fe80::1%25]/",
        "http://[v1.127.0.0.1]/",
        "http://4294967296/",
        "http://256.1.1.1/",
        "http://1.2.3.4.5/",
        "http://0.0.0.0:8000/",
        "http://0/",
        # shapes that readers read differently
        "http:127.0.0.1",
        "http:/127.0.0.1/",
        "http:\\\\127.0.0.1\\",
        "http://///127.0.0.1/",
        "http:public.example/",
        "http://public.example\\.evil.example/",
        "http://public.example\t.evil.example/",
        "http://public.example/\r\nHost: evil",
        "http://public.example\u2028/",
        "http://public.example/\ud800",
        "http://ex%61mple.com/",
        "http://public.example%2f@127.0.0.1/",
        "http://public.example%23@127.0.0.1/",
        # user info
        "http://@public.example/",
        "http://:@public.example/",
        "http://user@public.example/",
        "https://user:secret@public.example/",
        "http://a@b@public.example/",
        # ports
        "http://public.example:0/",
        "http://public.example:65536/",
        "http://public.example:99999999999/",
        "http://public.example:22/",
        "http://public.example:6379/",
        "http://public.example:11211/",
        "http://public.example:6667/",
        "http://public.example:10080/",
        "http://public.example:8 0/",
        "http://public.example:0x50/",
        # schemes
        "ftp://public.example/",
        "ws://public.example/",
        "wss://public.example/",
        "jar:http://public.example!/",
        "view-source:http://public.example/",
        "blob:http://public.example/x",
        "feed:http://public.example/",
        "unix:///var/run/docker.sock",
        "ldap://public.example/",
        "mailto:a@b.example",
        "public.example/feed",
        "",
        "http://",
        "http://?x",
        "http://#x",
        # names of near things
        "http://localhost:8000/",
        "http://LocalHost./",
        "http://ⓛocalhost/",
        "http://a.b.localhost/",
        "http://nas.lan/",
        "http://printer.home.arpa/",
        "http://vault.corp/",
        "http://host.docker.internal/",
        "http://metadata.google.internal./",
        "http://kubernetes/",
        # names that are none
        "http://a..b.example/",
        "http://.example/",
        "http://-a.example/",
        "http://" + "a" * 64 + ".example/",
        "http://" + "a.b." * 70 + "example/",
        "http://public.example/" + "a" * 9000,
        "http://a*b.example/",
    ],
)
def test_tricks_of_the_same_families_are_refused(url: str) -> None:
    """What is not only an address in another dress (T1)."""
    assert not is_allowed(url)


@pytest.mark.parametrize(
    ("url", "href"),
    [
        ("HTTP://Public.Example:80/a/../b", "http://public.example/b"),
        ("https://public.example", "https://public.example/"),
        (" https://public.example/x ", "https://public.example/x"),
        ("https://bücher.example/ü?ü#x", "https://xn--bcher-kva.example/%C3%BC?%C3%BC#x"),
        ("https://public.example/%7Euser", "https://public.example/%7Euser"),
        ("https://public.example/a b", "https://public.example/a%20b"),
        ("https://public.example/?next=http://127.0.0.1/", None),
        ("https://public.example/@user", None),
        ("https://public.example/?a=\\b", None),
        ("https://my_feed.example/", None),
        ("https://public.example./", None),
        ("http://[2606:4700:4700::1111]/", None),
        ("http://0x08.8.8.8/", "http://8.8.8.8/"),
    ],
)
def test_honest_urls_pass_and_are_normalised(url: str, href: str | None) -> None:
    assert GUARD.check_url(url) == (href or url)


def test_an_allowed_host_passes_at_its_port_only() -> None:
    guard = Guard.parse("intranet:8080, 127.0.0.1:9000,[::1]:9001 , db.example:5432")

    assert is_allowed("http://intranet:8080/x", guard)
    assert is_allowed("http://127.0.0.1:9000/", guard)
    assert is_allowed("http://[::1]:9001/", guard)
    assert is_allowed("http://db.example:5432/", guard)
    assert not is_allowed("http://intranet/", guard)
    assert not is_allowed("http://127.0.0.1:9001/", guard)
    assert not is_allowed("http://localhost:9000/", guard)
    assert not is_allowed("http://other.example:5432/", guard)
    guard.check_address("intranet", "10.0.0.7", 8080)
    guard.check_address("intranet.", "10.0.0.7", 8080)  # as resolvers write it
    with pytest.raises(EgressError):
        guard.check_address("intranet", "10.0.0.7", 80)
    with pytest.raises(EgressError):
        guard.check_address("evil.example", "127.0.0.1", 9000)


def test_an_allowed_network_lets_its_addresses_through() -> None:
    guard = Guard.parse("10.1.0.0/16,fd00::/8,192.168.0.0/24:8080,[fd12::/16]:6379")

    assert is_allowed("http://10.1.2.3:8000/", guard)
    assert is_allowed("http://[fd00::1]/", guard)
    assert is_allowed("http://192.168.0.9:8080/", guard)
    assert is_allowed("http://[fd12::1]:6379/", guard)
    assert is_allowed("http://wiki.corp/", guard)  # judged by its address, once it is known
    assert not is_allowed("http://10.2.0.1/", guard)
    assert not is_allowed("http://192.168.0.9/", guard)
    assert not is_allowed("http://10.1.2.3:6379/", guard)
    assert not is_allowed("http://[::ffff:10.1.2.3]/", guard)
    guard.check_address("wiki.corp", "10.1.9.9", 80)
    with pytest.raises(EgressError):
        guard.check_address("wiki.corp", "127.0.0.1", 80)


@pytest.mark.parametrize(
    "allow",
    [
        "localhost",
        "127.0.0.1",
        "::1",
        "host:0",
        "host:65536",
        "host:http",
        "http://host:80",
        "10.0.0.1/8",
        "10.0.0.0/33",
        "10.0.0.0/8:0",
        "10.0.0.0/8:x",
        "a b:80",
        "user@host:80",
        "host:8０",
        "*:80",
        "good.example:80,bad",
    ],
)
def test_a_wrong_allow_list_stops_us_with_a_sentence(allow: str) -> None:
    with pytest.raises(ConfigError, match=r"^EGRESS_ALLOW: '.*' is neither"):
        Guard.parse(allow)


def test_our_own_public_address_is_refused_but_for_what_the_world_sees() -> None:
    guard = Guard(AllowedAddresses(), is_own=lambda ip: str(ip) == "93.184.216.34")

    guard.check_address("self.example", "93.184.216.34", 443)
    guard.check_address("other.example", "93.184.216.35", 8767)
    with pytest.raises(EgressError, match="this very machine"):
        guard.check_address("self.example", "93.184.216.34", 8767)


def test_the_routing_table_knows_which_addresses_are_ours() -> None:
    assert is_own(ip_address("127.0.0.1"))
    assert not is_own(ip_address("93.184.216.34"))


@given(st.integers(0, 2**128 - 1), st.sampled_from([80, 443, 8080]))
def test_no_ipv6_literal_in_a_denied_block_passes(number: int, port: int) -> None:
    address = IPv6Address(number)

    allowed = is_allowed(f"http://[{address}]:{port}/")

    denied = any(address in net for net in DENIED_NETWORKS if net.version == 6)
    assert not (allowed and denied)


def test_an_address_is_measured_as_it_would_be_sent() -> None:
    """One character of text can become nine of a URL."""
    base = GUARD.target("http://public.example/")

    for text in ("http://public.example/?" + "中" * 5400, "/?" + "中" * 1000):
        with pytest.raises(EgressError) as caught:
            GUARD.redirected(base, text)

        assert "longer than 8192" in caught.value.detail
    assert not is_allowed("http://public.example/" + "中" * 5400)
    assert len(GUARD.redirected(base, "/?" + "中" * 900).href) > 8000


def test_where_redirects_lead_is_not_kept() -> None:
    """The servers choose those: 2048 of them took 221 MB."""
    base = GUARD.target("http://public.example/")

    first, again = GUARD.redirected(base, "/next"), GUARD.redirected(base, "/next")

    assert first == again
    assert first is not again
