"""Start an event loop: uvloop where there is one."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


def run_async(main: Coroutine[Any, Any, T]) -> T:
    """Run *main* to its end on a fresh, fast event loop."""
    try:
        from uvloop import new_event_loop
    except ImportError:  # Windows
        return asyncio.run(main)
    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        return runner.run(main)
