"""What becomes of stdin, stdout and stderr when they are closed, full, or read by nobody."""

from __future__ import annotations

import errno
import os
import sys

STANDARD_STREAMS = ("stdin", "stdout", "stderr")
# What writing to a file or a pipe of somebody else's choice can fail with.
UNWRITABLE_ERRORS = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF})


def open_missing_streams() -> None:
    """Let streams that were closed (`>&-`) lead nowhere.

    Else the next file that is opened takes their number: the event loop dies of that, and a
    message might be written into a database.
    """
    for number, name in enumerate(STANDARD_STREAMS):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest number is free, and this is it
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(number, "r" if number == 0 else "w", closefd=False))


def silence_stdout() -> None:
    """Let stdout lead nowhere: nobody can read it any more, and Python would complain at exit."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def sentence_of(error: OSError) -> str | None:
    """What to tell of *error*; None if it is not about a file or our output, so a bug of ours."""
    if error.filename is not None:
        return f"{os.fsdecode(error.filename)}: {error.strerror}"
    if error.errno in UNWRITABLE_ERRORS:
        return f"the output cannot be written: {error.strerror}"
    return None
