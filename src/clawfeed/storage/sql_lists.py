"""Many values in one statement: the same text on both databases."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from clawfeed.storage.database import SqlValue

# Bound parameters per statement; SQLite takes 32,766, and shorter texts are cached better.
VALUES_PER_STATEMENT = 500


def chunks(values: Sequence[SqlValue]) -> Iterator[Sequence[SqlValue]]:
    return (
        values[start : start + VALUES_PER_STATEMENT]
        for start in range(0, len(values), VALUES_PER_STATEMENT)
    )


def in_list(values: Sequence[SqlValue], prefix: str = "v") -> tuple[str, dict[str, SqlValue]]:
    """Bound parameters for an `IN (...)`: their names, and their values.

    Two lists in one statement have each their *prefix*.
    """
    params = {f"{prefix}{place}": value for place, value in enumerate(values)}
    return ", ".join(f":{name}" for name in params), params
