"""Other people's collectors on the same feeds: `reader` (PyPI) and `newsboat` (Debian)."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

# Runs in an interpreter that need not know us. More threads make it no faster.
READER = """
import sys, time
from reader import make_reader
reader = make_reader(sys.argv[1])
urls = sys.stdin.read().split()
for url in urls:
    reader.add_feed(url)
started = time.perf_counter()
reader.update_feeds(workers=10)
spent = time.perf_counter() - started
assert reader.get_feed_counts(broken=False).total >= 0.9 * len(urls)
assert reader.get_entry_counts().total > 15 * len(urls)
print(len(urls) / spent)
"""


def reader(urls: list[str]) -> float | None:
    """Its speed in feeds a second, without its start; None if it is not installed."""
    python = shutil.which(os.environ.get("READER_PYTHON", sys.executable))
    if python is None:
        return None
    probe = subprocess.run((python, "-c", "import reader"), capture_output=True, check=False)
    if probe.returncode:
        return None
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            (python, "-c", READER, f"{folder}/reader.db"),
            input="\n".join(urls),
            capture_output=True,
            text=True,
            check=True,
        )
    return float(done.stdout)


def newsboat(urls: list[str], threads: int) -> float | None:
    """Its speed in feeds a second, without its start; None if it is not installed."""
    program = shutil.which("newsboat")
    if program is None:
        return None
    start = _newsboat_seconds(program, [], threads)
    return len(urls) / (_newsboat_seconds(program, urls, threads) - start)


def _newsboat_seconds(program: str, urls: list[str], threads: int) -> float:
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        # It refuses to start without any URL: one that no longer answers costs nothing.
        (home / "urls").write_text("\n".join(urls or ["http://127.0.0.1:9/"]), encoding="ascii")
        (home / "config").write_text(f"reload-threads {threads}\n", encoding="ascii")
        started = time.perf_counter()
        subprocess.run(
            (program, "-u", home / "urls", "-c", home / "cache.db", "-C", home / "config",
             "-x", "reload"),
            env={**os.environ, "HOME": folder},
            capture_output=True,
            check=True,
        )  # fmt: skip
        return time.perf_counter() - started
