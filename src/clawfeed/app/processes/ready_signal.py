"""How a server says that it is up: to a person, and to the process that started it."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from typing import TypeAlias

# Called with the address, and with the link that sets the first admin's password, if there is one.
Greet: TypeAlias = Callable[[str, str | None], None]

# The number of a pipe's writing end; set by the supervisor for a child that others wait for.
READY_VARIABLE = "CLAWFEED_READY"


def signal_ready() -> None:
    """Tell it once; where nobody asked, nothing happens."""
    number = os.environ.pop(READY_VARIABLE, "")
    if not number.isdecimal():
        return
    with suppress(OSError):  # whoever asked is gone
        os.write(int(number), b"1")
        os.close(int(number))
