"""Which of our functions are called, in which order, and after how many crossings."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def traced(crossings: Callable[[], int]) -> Iterator[dict[str, int]]:
    """What is filled while it lasts: each function with its module and class, at its first call.

    The value is what *crossings* said then. Threads that are started inside are seen, too.
    """
    first: dict[str, int] = {}

    def note(frame: FrameType, event: str, _argument: object) -> None:
        module = frame.f_globals.get("__name__", "")
        if event == "call" and module.startswith("clawfeed."):
            first.setdefault(f"{module}.{frame.f_code.co_qualname}", crossings())

    threading.setprofile(note)
    sys.setprofile(note)
    try:
        yield first
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
