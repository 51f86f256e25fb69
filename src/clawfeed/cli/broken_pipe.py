"""What becomes of stdout when nobody reads it any more."""

from __future__ import annotations

import os
import sys


def silence_stdout() -> None:
    """Let stdout lead nowhere: its reader (`| head`) is gone, and Python would complain at exit."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
