"""The simulator as a process of its own, on the event loop it uses there."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from clawfeed.simulator import read_journal
from tests.simulator.raw_client import request

pytestmark = pytest.mark.slow


@contextmanager
def running(*arguments: str) -> Iterator[tuple[subprocess.Popen[str], tuple[str, int]]]:
    command = [sys.executable, "-m", "clawfeed.simulator", *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout
            url = json.loads(process.stdout.readline())["url"]
            host, port = url.removeprefix("http://").split(":")
            yield process, (host, int(port))
        finally:
            process.kill()


def ask(address: tuple[str, int], question: bytes) -> bytes:
    """All bytes of the answer, up to the end of the connection."""
    answer = b""
    with socket.create_connection(address, timeout=60) as connection:
        connection.sendall(question)
        while piece := connection.recv(2**16):
            answer += piece
    return answer


def test_the_command_prints_its_address_and_ends_on_sigterm(journal: Path) -> None:
    options = ("--port", "0", "--feeds", "5", "--seed", "1", "--speed", "60")

    with running(*options, "--journal", str(journal)) as (process, address):
        answer = ask(address, request("/f/3", connection="close"))
        process.send_signal(signal.SIGTERM)
        status = process.wait(60)

    assert status == 0
    assert answer.endswith(b"</rss>\n")
    assert [entry.feed for entry in read_journal(journal)] == ["f3"]


def test_faults_ordered_over_http_reach_the_wire() -> None:
    """Proves (F9, F10) on uvloop, whose transports are not those of asyncio."""
    with running("--feeds", "3") as (_, address):
        for path, fault in (("/f/0", "reset"), ("/f/1", "half_close"), ("/f/2", "truncated")):
            wish = json.dumps({"path": path, "fault": fault, "after_bytes": 10}).encode()
            order = request("/_control/misbehave", method="POST", body=wish, connection="close")
            assert b" 200 " in ask(address, order)

        with pytest.raises(ConnectionResetError):
            ask(address, request("/f/0"))
        half_closed = ask(address, request("/f/1"))
        truncated = ask(address, request("/f/2"))

    assert half_closed.endswith(b"</rss>\n")
    assert b"</rss>" not in truncated


def test_a_taken_port_is_one_sentence() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        done = refused("--port", port)

    assert done.startswith(f"cannot listen on --port {port} (Address already in use): ")


def test_a_journal_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "nowhere" / "journal"

    done = refused("--journal", str(path))

    assert done.startswith(f"cannot write --journal {path} (No such file or directory): ")


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("--port", "99999"),
        ("--port", "-1"),
        ("--feeds", "-5"),
        ("--feeds", "many"),
        ("--speed", "-1"),
        ("--speed", "0"),
        ("--speed", "nan"),
    ],
)
def test_numbers_that_make_no_sense_are_refused(option: str, value: str) -> None:
    done = refused(option, value)

    assert done.startswith(f"error: argument {option}: expected ")


def refused(*arguments: str) -> str:
    """The last line of a simulator that does not start, without the program's name."""
    command = [sys.executable, "-m", "clawfeed.simulator", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    return done.stderr.splitlines()[-1].removeprefix("python -m clawfeed.simulator: ")
