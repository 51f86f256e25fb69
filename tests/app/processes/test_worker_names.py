"""Whether a collector that held a claim is still alive."""

from __future__ import annotations

import os
import subprocess
import sys

from clawfeed.app.processes.worker_names import is_dead, worker_name


def test_we_are_alive_and_a_child_that_ended_is_not() -> None:
    child = subprocess.Popen([sys.executable, "-c", "pass"])
    child.wait()
    machine = worker_name().rpartition("/")[0]

    assert not is_dead(worker_name())
    assert is_dead(f"{machine}/{child.pid}")


def test_other_machines_are_never_judged() -> None:
    assert not is_dead("elsewhere:abc:123/1")
    assert not is_dead("nonsense")
    assert not is_dead(f"{worker_name().rpartition('/')[0]}/x{os.getpid()}")
