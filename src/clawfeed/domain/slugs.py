"""Short names for addresses, made from names for people."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection
from itertools import count
from typing import Final

LONGEST_SLUG: Final = 64
# What is left of a slug beside a number.
LONGEST_STEM: Final = LONGEST_SLUG - 8


def slug_of(name: str) -> str:
    """*name* as lower-case letters, digits and hyphens; "" if it has none of them."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:LONGEST_SLUG].strip("-")


def stem_of(wanted: str) -> str:
    """What every slug begins with that `free_slug` may give in the place of *wanted*."""
    return wanted[:LONGEST_STEM].rstrip("-")


def free_slug(wanted: str, taken: Collection[str]) -> str:
    """*wanted*, or the first of `wanted-2`, `wanted-3`, ... that nobody has."""
    if wanted not in taken:
        return wanted
    stem = stem_of(wanted)
    return next(slug for n in count(2) if (slug := f"{stem}-{n}") not in taken)
