"""A wall clock that tests set for other processes, by libfaketime; monotonic time is left alone."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from clawfeed.app.clock import system_clock
from tests.support.system_packages import needed

# Debian and Ubuntu put it under the machine's name, others right into the library folder.
PLACES = ("lib/*/faketime", "lib/faketime", "lib64/faketime", "local/lib/faketime")


def faketime_library() -> Path:
    """The library on this machine."""
    return needed("libfaketime", _find())


def _find() -> Path | None:
    places = (path for place in PLACES for path in Path("/usr").glob(f"{place}/libfaketime.so.1"))
    return next(places, None)


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
            # Read at every look at the clock. With its cache the library takes a lock each time,
            # and who forks while a thread holds it never comes back: one start of a collector in
            # some hundred.
            "FAKETIME_NO_CACHE": "1",
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
