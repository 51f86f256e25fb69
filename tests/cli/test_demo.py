"""`clawfeed demo` as people use it."""

from __future__ import annotations

import json
import re
import signal
import socket
import subprocess
import urllib.request
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.ports import free_port
from tests.support.processes import COMMAND, clean_environment, run_clawfeed
from tests.support.terminals import LINES, run_on_terminal, width_of

# A collector that tells that it was loaded.
PLUGIN = """
from pathlib import Path

Path({marker!r}).write_text("loaded")


class Tides:
    name = "tides"
    default_interval_seconds = 60

    async def fetch(self, param):
        yield {{"title": "High water"}}
"""


def with_things_of_the_operator(folder: Path) -> dict[str, str]:
    """A plug-in and a database, named by `.env` and by the environment that is the answer."""
    plugins = folder / "plugins"
    plugins.mkdir()
    (plugins / "sample_source_type.py").write_text(PLUGIN.format(marker=str(folder / "marker")))
    (folder / ".env").write_text("PLUGINS_DIR=plugins\n")
    (folder / "url").write_text(f"sqlite:///{folder / 'mine.db'}")
    return {"DATABASE_URL_FILE": str(folder / "url"), "PLUGINS_DIR": str(plugins)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """A demo from its start to Ctrl-C: what it said, and what its world then held."""

    returncode: int
    stdout: str
    effects: list[dict[str, str]]
    mailbox: str


def page(url: str) -> str:
    with urllib.request.urlopen(url, timeout=60) as answer:  # noqa: S310 -- loopback
        return str(answer.read().decode())


def watch_until_delivered(folder: Path, environment: Mapping[str, str]) -> Seen:
    """The demo, ended by Ctrl-C as soon as it says what arrived; at last by itself."""
    with subprocess.Popen(
        [*COMMAND, "demo", "--seconds", "200"],
        cwd=folder,
        env=clean_environment(**environment),
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        lines, effects, mailbox = [], "[]", ""
        for line in process.stdout:
            lines.append(line)
            if line.startswith("Delivered to "):
                mailbox = page(line.split()[-1])
            if line.startswith("All that arrived there: "):
                effects = page(line.split()[-1])
                process.send_signal(signal.SIGINT)
        code = process.wait(60)
    return Seen(
        returncode=code, stdout="".join(lines), effects=json.loads(effects), mailbox=mailbox
    )


@pytest.mark.slow
@pytest.mark.timeout(240)
def test_every_source_is_polled_the_edition_arrives_once_and_nothing_is_left(
    tmp_path: Path,
) -> None:
    """(I7) One source's rest must not hold up the others: the whole world is one host.

    Nothing of the operator's own is run: were the plug-in loaded, or the database made, it would
    be left.
    """
    environment = {
        "DIGEST_PORT": str(free_port()),
        "TMPDIR": str(tmp_path),
        **with_things_of_the_operator(tmp_path),
    }
    before = sorted(tmp_path.rglob("*"))

    seen = watch_until_delivered(tmp_path, environment)

    polled_at = r"^ *[0-9]+ ok .* [1-9][0-9]* +in [0-9]+ (?:s|min|h) "
    assert seen.returncode == 0, seen.stdout
    assert len(re.findall(polled_at, seen.stdout, re.MULTILINE)) == 26
    assert "waiting for its turn" not in seen.stdout
    assert "The Harbour Times: 20 new" in seen.stdout
    assert re.search(r"^Hacker News: [1-9][0-9] new$", seen.stdout, re.MULTILINE)
    assert "The Vanished Gazette: failed (the server answered 404 Not Found)" in seen.stdout
    assert "Redesigned Review: failed (this is a web page, not a feed)" in seen.stdout
    assert " 2 errors in 24 h" in seen.stdout
    edition = f"Your first edition: 1[0-9] stories, http://127.0.0.1:{environment['DIGEST_PORT']}/"
    assert re.search(f"^{edition}$", seen.stdout, re.MULTILINE), seen.stdout
    assert "Delivered to email, github, slack, telegram: " in seen.stdout
    assert "2 problems" in seen.stdout
    assert_each_part_arrived_once(seen.effects)
    assert "to reader@demo.example" in seen.mailbox
    assert sorted(tmp_path.rglob("*")) == before


def assert_each_part_arrived_once(effects: list[dict[str, str]]) -> None:
    arrived = Counter(each["service"] for each in effects)
    chat = [each["content"] for each in effects if each["service"] == "telegram"]
    parts = [re.findall(r"([0-9])/([0-9])$", text, re.MULTILINE)[-1:] for text in chat]
    assert arrived == {"telegram": len(chat), "github": 1, "slack": 1, "mail": 1}
    assert len({each["content"] for each in effects}) == len(effects)
    assert parts == [[(str(number), str(len(chat)))] for number in range(1, len(chat) + 1)]


def test_a_taken_port_is_one_sentence_before_anything_starts(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        done = run_clawfeed("demo", cwd=tmp_path, env={"DIGEST_PORT": str(port)})

    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr == (
        f"clawfeed: cannot listen on DIGEST_HOST 127.0.0.1, DIGEST_PORT {port} (Address already "
        "in use): stop what uses it, or choose another DIGEST_PORT\n"
    )


@pytest.mark.slow
def test_the_live_status_never_scrolls_what_it_draws_over(tmp_path: Path) -> None:
    """On 80 columns no drawn line is longer, so that moving up lands where it began."""
    environment = {"DIGEST_PORT": str(free_port())}

    seen = run_on_terminal("demo", "--seconds", "8", cwd=tmp_path, env=environment, columns=80)

    drawings = re.split(r"\x1b\[[0-9]+A", seen.text)
    ups = [int(number) for number in re.findall(r"\x1b\[([0-9]+)A", seen.text)]
    assert seen.returncode == 0, seen.text
    assert len(drawings) >= 3
    assert max(map(width_of, seen.text.split("\n"))) <= 80
    for drawing, up in zip(drawings[1:], ups[1:], strict=False):
        assert drawing.count("\n") == up
    assert max(ups) < LINES
    assert all("/setup/" in drawing for drawing in drawings)
    assert "远山科技日报" in seen.text
    assert "Traceback" not in seen.text
