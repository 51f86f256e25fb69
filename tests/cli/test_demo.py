"""`clawfeed demo` as people use it."""

from __future__ import annotations

import re
import socket
import time
from pathlib import Path

import pytest

from tests.support.ports import free_port
from tests.support.processes import run_clawfeed
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
    (plugins / "tides.py").write_text(PLUGIN.format(marker=str(folder / "marker")))
    (folder / ".env").write_text("PLUGINS_DIR=plugins\n")
    (folder / "url").write_text(f"sqlite:///{folder / 'mine.db'}")
    return {"DATABASE_URL_FILE": str(folder / "url"), "PLUGINS_DIR": str(plugins)}


@pytest.mark.slow
def test_after_twenty_seconds_every_source_was_polled_and_nothing_is_left(
    tmp_path: Path,
) -> None:
    """One source's rest must not hold up the others: the whole world is one host.

    Nothing of the operator's own is run: were the plug-in loaded, or the database made, it would
    be left.
    """
    environment = {
        "DIGEST_PORT": str(free_port()),
        "TMPDIR": str(tmp_path),
        **with_things_of_the_operator(tmp_path),
    }
    before = sorted(tmp_path.rglob("*"))

    done = run_clawfeed("demo", "--seconds", "20", cwd=tmp_path, env=environment)

    polled_at = r"^ *[0-9]+ ok .* [1-9][0-9]* +in [0-9]+ s "
    assert done.returncode == 0, done.stderr
    assert len(re.findall(polled_at, done.stdout, re.MULTILINE)) == 26
    assert "waiting for its turn" not in done.stdout
    assert "The Harbour Times: 20 new" in done.stdout
    assert re.search(r"^Hacker News: [1-9][0-9] new$", done.stdout, re.MULTILINE)
    assert "0 errors" in done.stdout
    edition = f"Your first edition: 1[0-9] stories, http://127.0.0.1:{environment['DIGEST_PORT']}/"
    assert re.search(f"^{edition}$", done.stdout, re.MULTILINE), done.stdout
    assert "problem" not in done.stdout
    assert sorted(tmp_path.rglob("*")) == before


def test_a_taken_port_is_one_sentence_before_anything_starts(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        began = time.monotonic()
        done = run_clawfeed("demo", cwd=tmp_path, env={"DIGEST_PORT": str(port)})

    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr == (
        f"clawfeed: cannot listen on DIGEST_HOST 127.0.0.1, DIGEST_PORT {port} (Address already "
        "in use): stop what uses it, or choose another DIGEST_PORT\n"
    )
    assert time.monotonic() - began < 10


@pytest.mark.slow
def test_the_live_status_never_scrolls_what_it_draws_over(tmp_path: Path) -> None:
    """On 80 columns no drawn line is longer, so that moving up lands where it began."""
    environment = {"DIGEST_PORT": str(free_port())}

    seen = run_on_terminal("demo", "--seconds", "8", cwd=tmp_path, env=environment, columns=80)

    drawings = re.split(r"\x1b\[[0-9]+A", seen.text)
    ups = [int(number) for number in re.findall(r"\x1b\[([0-9]+)A", seen.text)]
    assert seen.returncode == 0, seen.text
    assert len(drawings) >= 5
    assert max(map(width_of, seen.text.split("\n"))) <= 80
    for drawing, up in zip(drawings[1:], ups[1:], strict=False):
        assert drawing.count("\n") == up
    assert max(ups) < LINES
    assert all("/setup/" in drawing for drawing in drawings)
    assert "远山科技日报" in seen.text
    assert "Traceback" not in seen.text
