"""What was asked and what was served, on disk: the truth that stored items are compared with.

Every line is one `write` to a file opened for appending, made before the answer leaves. So a key
is in the journal before anybody can store it, and the journal survives the death of the
collector, and of the simulator too (not a power cut: there is no fsync).
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One request and its answer.

    *in_flight* counts the unanswered requests at this path, this one included, when it came, and
    *at_origin* those at all paths: only a feed that holds its answers can show an overlap. *keys*
    are the URLs of items that were served whole (for a page without a feed `path#version`).
    *other_headers* are the names of headers that are not everyday ones. Values of secret headers
    are never written.
    """

    ts: datetime
    method: str
    path: str
    feed: str
    in_flight: int
    status: int
    etag: str | None
    keys: tuple[str, ...] = ()
    fault: str | None = None
    user_agent: str = ""
    if_none_match: str | None = None
    has_authorization: bool = False
    other_headers: tuple[str, ...] = ()
    at_origin: int = 0


_FIELDS = tuple(field.name for field in fields(Entry))


class Journal:
    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)

    def add(self, entry: Entry) -> None:
        line = {name: getattr(entry, name) for name in _FIELDS} | {"ts": entry.ts.isoformat()}
        os.write(self._file, json.dumps(line, ensure_ascii=False).encode() + b"\n")

    def close(self) -> None:
        os.close(self._file)


def read_journal(path: Path) -> list[Entry]:
    """All entries in the order they came. A last line that is still being written is left out."""
    lines = path.read_bytes().split(b"\n")[:-1]
    return [_entry(line) for line in lines]


def _entry(line: bytes) -> Entry:
    values = json.loads(line)
    values["ts"] = datetime.fromisoformat(values["ts"])
    values["keys"] = tuple(values["keys"])
    values["other_headers"] = tuple(values["other_headers"])
    return Entry(**values)


def keys_served(entries: Iterable[Entry], feed: str) -> frozenset[str]:
    """Every key that left *feed* in a whole answer; what must be stored in the end (I1)."""
    return frozenset(key for entry in entries if entry.feed == feed for key in entry.keys)


def max_in_flight(entries: Iterable[Entry]) -> int:
    """The most requests that ever overlapped at one path; 1 means single flight (I2)."""
    return max((entry.in_flight for entry in entries), default=0)


def gaps(entries: Sequence[Entry], feed: str) -> list[timedelta]:
    """Times between one request to *feed* and the next, by the world's clock (I4)."""
    moments = [entry.ts for entry in entries if entry.feed == feed]
    return [later - earlier for earlier, later in pairwise(moments)]
