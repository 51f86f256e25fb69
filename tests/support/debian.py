"""What tests need from the machine's own packages: used if there, installed under CI."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest


def needed(package: str, find: Callable[[], Path | None]) -> Path:
    """What *find* finds; without it the test is skipped, except under CI, which installs it."""
    found = find()
    if found is None and os.environ.get("CI") == "true":
        said = _install(package)
        found = find()
        assert found, f"CI needs the package {package}, and it could not be installed: {said}"
    if found is None:
        pytest.skip(f"needs {package}: apt-get install {package}")
    return found


def _install(package: str) -> str:
    """Try to; returns what was said about it. Tests run side by side, so apt waits its turn."""
    if os.geteuid() != 0:
        return "only root may install it"
    # The list of packages may be missing or old, so it is fetched first.
    apt = ["apt-get", "-o", "DPkg::Lock::Timeout=90", "-q"]
    for command in ([*apt, "update"], [*apt, "install", "-y", package]):
        done = subprocess.run(command, capture_output=True, text=True, timeout=200, check=False)
    return done.stderr[-500:]
