"""A process that has loaded what it needs, and opens nothing any more."""

from __future__ import annotations

import gc
import sys
from typing import NoReturn

if sys.platform != "win32":  # there the parent's clock is the only limit
    import resource


class _NoMoreImports:
    """Answers "no such module" for all not loaded yet, instead of failing to open its file."""

    @staticmethod
    def find_spec(name: str, _path: object = None, _target: object = None) -> NoReturn:
        raise ModuleNotFoundError(name=name)


def close_doors(memory_bytes: int) -> None:
    """From here on: no new file, no socket, no import, no core dump, and only so much memory.

    A parser talked into reading /etc/passwd or calling home cannot open anything (T8).
    """
    sys.meta_path.insert(0, _NoMoreImports)
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000)  # a feed makes thousands of objects and next to no cycles
    if sys.platform == "win32":
        return
    for limit, value in (
        (resource.RLIMIT_AS, memory_bytes),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_NOFILE, 0),
    ):
        try:
            resource.setrlimit(limit, (value, value))
        except (OSError, ValueError):  # macOS has no RLIMIT_AS to speak of
            continue
