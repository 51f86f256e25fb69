"""Where the server may listen, and what it says where it may not."""

from __future__ import annotations

import socket

import pytest

from clawfeed.app.processes.listening import check_address
from clawfeed.domain.errors import ConfigError
from tests.support.ports import free_port


def test_a_free_port_can_be_listened_on() -> None:
    check_address("127.0.0.1", free_port())


def test_a_taken_port_asks_for_another_port() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other, pytest.raises(ConfigError) as caught:
        check_address("127.0.0.1", other.getsockname()[1])

    assert "Address already in use" in str(caught.value)
    assert str(caught.value).endswith("choose another DIGEST_PORT")


@pytest.mark.parametrize("host", ["203.0.113.9", "2001:db8::1", "nobody.invalid"])
def test_an_address_of_another_machine_asks_for_another_host(host: str) -> None:
    with pytest.raises(ConfigError) as caught:
        check_address(host, free_port())

    assert f"DIGEST_HOST {host}" in str(caught.value)
    assert "set DIGEST_HOST to an address of this machine" in str(caught.value)
    assert "another" not in str(caught.value)
