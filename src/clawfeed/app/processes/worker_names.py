"""Names for collectors that tell, on the same machine, whether one is still alive."""

from __future__ import annotations

import os
import platform
from pathlib import Path


def worker_name() -> str:
    """Machine, process space and process of this collector."""
    return f"{_machine()}/{os.getpid()}"


def is_dead(worker: str) -> bool:
    """Whether *worker* was a process of this machine and is gone; others are never judged."""
    machine, _, pid = worker.rpartition("/")
    if machine != _machine() or not pid.isdigit():
        return False
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return False


def _machine() -> str:
    """The machine since its last boot, and the container: a process id means little elsewhere."""
    return f"{platform.node()}:{_boot()}:{_process_space()}"


def _boot() -> str:
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()[:8]
    except OSError:
        return ""


def _process_space() -> str:
    try:
        return str(Path("/proc/self/ns/pid").stat().st_ino)
    except OSError:
        return ""
