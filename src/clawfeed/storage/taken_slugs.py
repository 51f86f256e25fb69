"""Which slugs are taken already, where somebody wishes for one."""

from __future__ import annotations

from collections.abc import Iterable

from clawfeed.domain.slugs import free_slug, stem_of
from clawfeed.storage.database import Row, Statement, Steps


def taken_like(table: str, wanted: str) -> Statement:
    """The slugs of *table* that *wanted* or its numbered forms could meet."""
    # A slug has no wildcards of LIKE in it.
    return Statement(
        f"SELECT slug FROM {table} WHERE slug = :wanted OR slug LIKE :numbered",  # noqa: S608 -- a name of our own code
        {"wanted": wanted, "numbered": f"{stem_of(wanted)}-%"},
    )


def first_free(table: str, wanted: str) -> Steps[str]:
    """*wanted*, or with the first number behind it that makes it nobody's yet."""
    return free_of(wanted, (yield taken_like(table, wanted)))


def free_of(wanted: str, rows: Iterable[Row]) -> str:
    """The same, given the rows of `taken_like`."""
    return free_slug(wanted, {str(row["slug"]) for row in rows})
