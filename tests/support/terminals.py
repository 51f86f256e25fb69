"""The real command on a pseudo terminal, as a person meets it, and how wide its lines are."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import termios
import threading
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from tests.support.processes import COMMAND, PATIENCE_SECONDS, clean_environment

LINES = 40


def without_colours(line: str) -> str:
    """*line* without any control sequence."""
    return re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", line)


def width_of(line: str) -> int:
    """The cells that *line* takes, of which Chinese characters take two."""
    plain = without_colours(line)
    return sum(2 if unicodedata.east_asian_width(each) in "WF" else 1 for each in plain)


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What stood on the terminal, and the exit code."""

    text: str
    returncode: int


def run_on_terminal(
    *arguments: str,
    cwd: Path,
    env: Mapping[str, str] | None = None,
    columns: int = 80,
    stdout: IO[bytes] | None = None,
) -> Seen:
    """Run `clawfeed ARGUMENTS` to its end on a terminal; *stdout* may lead elsewhere."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, columns, 0, 0))
    process = subprocess.Popen(
        [*COMMAND, *arguments],
        cwd=cwd,
        env=clean_environment(TERM="xterm", **(env or {})),
        stdin=theirs,
        stdout=stdout or theirs,
        stderr=theirs,
        start_new_session=True,
    )
    os.close(theirs)
    pieces: list[bytes] = []
    reader = threading.Thread(target=_read, args=(ours, pieces), daemon=True)
    reader.start()
    try:
        code = process.wait(PATIENCE_SECONDS)
    finally:
        process.kill()
        reader.join(PATIENCE_SECONDS)
        os.close(ours)
    return Seen(text=b"".join(pieces).decode().replace("\r\n", "\n"), returncode=code)


def _read(terminal: int, pieces: list[bytes]) -> None:
    while True:
        try:
            pieces.append(os.read(terminal, 65_536))
        except OSError:  # nobody has the other end open any more
            return
