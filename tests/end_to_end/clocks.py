"""A wall clock that tests set for other processes, by libfaketime; monotonic time is left alone."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from clawfeed.app.clock import system_clock

# Debian and Ubuntu put it under the machine's name, others right into the library folder.
PLACES = ("lib/*/faketime", "lib/faketime", "lib64/faketime", "local/lib/faketime")


def faketime_library() -> Path:
    """The library on this machine; without it the test is skipped, except under CI."""
    found = _find()
    if found is None and os.environ.get("CI") == "true":
        said = _install()
        found = _find()
        assert found, f"CI needs the package libfaketime, and it could not be installed: {said}"
    if found is None:
        pytest.skip("needs libfaketime to move a process's clock: apt-get install libfaketime")
    return found


def _find() -> Path | None:
    places = (path for place in PLACES for path in Path("/usr").glob(f"{place}/libfaketime.so.1"))
    return next(places, None)


def _install() -> str:
    """Try to; returns what was said about it. Tests run side by side, so apt waits its turn."""
    if os.geteuid() != 0:
        return "only root may install it"
    # The list of packages may be missing or old, so it is fetched first.
    apt = ["apt-get", "-o", "DPkg::Lock::Timeout=90", "-q"]
    for command in ([*apt, "update"], [*apt, "install", "-y", "libfaketime"]):
        done = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
    return done.stderr[-500:]


@dataclass(slots=True)
class MovedClock:
    """The clock of collectors: as far from ours as it was last moved, also while they run."""

    library: Path
    file: Path
    shift: timedelta = timedelta(0)

    def __post_init__(self) -> None:
        self.move(self.shift)

    def move(self, shift: timedelta) -> None:
        """Set it so far from the real time, at once."""
        self.shift = shift
        draft = self.file.with_suffix(".new")
        draft.write_text(f"{shift.total_seconds():+.0f}\n")
        draft.replace(self.file)  # nobody reads half a line

    def now(self) -> datetime:
        return system_clock() + self.shift

    def environment(self) -> dict[str, str]:
        """What puts a process on this clock."""
        return {
            "LD_PRELOAD": str(self.library),
            "FAKETIME_TIMESTAMP_FILE": str(self.file),
            "FAKETIME_CACHE_DURATION": "1",
            # Waits and time-outs are measured by the monotonic clock, which nobody can set. Two
            # spellings: up to 0.9.6 the variable had no prefix.
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
            "DONT_FAKE_MONOTONIC": "1",
            "NO_FAKE_STAT": "1",
        }


@dataclass(slots=True)
class WorldClock:
    """The simulated world's: ours, and what was skipped."""

    skipped: timedelta = timedelta(0)

    def __call__(self) -> datetime:
        return system_clock() + self.skipped

    def skip(self, by: timedelta) -> None:
        self.skipped += by
