"""The real command in a real process, with its output at hand."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

COMMAND = (sys.executable, "-m", "clawfeed.cli")
PATIENCE_SECONDS = 90.0
SHOWN = 8000  # characters of a log
# As strict as the tests themselves, with what nobody would notice in another process.
STRICT = "error::ResourceWarning,error::RuntimeWarning"


def clean_environment(**settings: str) -> dict[str, str]:
    """Only what a process needs to start, and *settings*: none of the developer's own.

    No starter pack: nothing in a test may ask the real world.
    """
    kept = ("PATH", "HOME", "LANG", "PYTHONPATH", "VIRTUAL_ENV")
    inherited = {name: os.environ[name] for name in kept if name in os.environ}
    return {**inherited, "STARTER_PACK": "false", "PYTHONWARNINGS": STRICT, **settings}


def run_clawfeed(
    *arguments: str, cwd: Path, env: Mapping[str, str] | None = None, timeout: float = 60
) -> subprocess.CompletedProcess[str]:
    """Run `clawfeed ARGUMENTS` to its end."""
    done = subprocess.run(
        [*COMMAND, *arguments],
        cwd=cwd,
        env=clean_environment(**(env or {})),
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )
    _check_nothing_leaked(done.stderr)
    return done


def _check_nothing_leaked(stderr: str) -> None:
    """What is raised where an object goes away ends no process: it only stands here."""
    assert "ResourceWarning" not in stderr, stderr
    assert "RuntimeWarning" not in stderr, stderr


class Running:
    """A running `clawfeed`; its stderr is gathered as it comes."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self._lines: list[str] = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    @property
    def stderr(self) -> str:
        return "".join(self._lines)

    @property
    def has_ended(self) -> bool:
        return self.process.poll() is not None

    def signal(self, number: signal.Signals) -> None:
        self.process.send_signal(number)

    def wait(self, timeout: float = PATIENCE_SECONDS) -> int:
        code = self.process.wait(timeout)
        self._reader.join(timeout)
        return code

    def wait_for(self, text: str) -> None:
        """Until *text* stands on stderr; fails with what did stand there."""
        wait_until(lambda: text in self.stderr or self.has_ended)
        assert text in self.stderr, self.stderr

    def _read(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self._lines.append(line)


@contextmanager
def running_clawfeed(
    *arguments: str,
    cwd: Path,
    env: Mapping[str, str] | None = None,
    inside: Sequence[str] = (),
) -> Iterator[Running]:
    """`clawfeed ARGUMENTS` in the background; killed at the end if it still runs.

    *inside* is a command that runs it somewhere else, like `ip netns exec NAME`.
    """
    process = subprocess.Popen(
        [*inside, *COMMAND, *arguments],
        cwd=cwd,
        env=clean_environment(**(env or {})),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    running = Running(process)
    try:
        yield running
    except BaseException:
        sys.stdout.write(running.stderr[-SHOWN:])  # pytest shows it with the failure
        raise
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        running.wait()
        assert process.stderr is not None
        process.stderr.close()
    _check_nothing_leaked(running.stderr)


def wait_until(is_true: object, timeout: float = PATIENCE_SECONDS) -> None:
    """Poll *is_true* until it is; fails after *timeout* seconds."""
    assert callable(is_true)
    deadline = time.monotonic() + timeout
    while not is_true():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.02)
