"""How long until `clawfeed` answers: `--help`, and a trigger of editions with nothing to do.

`clawfeed cron` must fit in 500 ms, interpreter start included (S002-2).
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time

from bench.report import report

RUNS = 15


def median_ms(*command: str) -> float:
    """The median wall time of *command*, in milliseconds, after one run to warm the caches."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    times = []
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(RUNS + 1):
            started = time.perf_counter()
            subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=False)
            times.append((time.perf_counter() - started) * 1000)
    return statistics.median(times[1:])


def main() -> None:
    python = sys.executable
    bare = median_ms(python, "-c", "pass")
    help_ = median_ms(python, "-m", "clawfeed.cli", "--help")
    migrate = median_ms(python, "-m", "clawfeed.cli", "migrate")
    cron = median_ms(python, "-m", "clawfeed.cli", "cron")
    report(
        "start-up, milliseconds (median of 15)",
        {
            "python -c pass": bare,
            "clawfeed --help (goal: under 150)": help_,
            "clawfeed migrate: configuration and database": migrate,
            "clawfeed cron, nothing to do (goal: under 500)": cron,
            "--help as a multiple of the bare interpreter": help_ / bare,
            "cron as a multiple of the bare interpreter": cron / bare,
        },
    )


if __name__ == "__main__":
    main()
