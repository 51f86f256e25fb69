"""Short names for addresses, made from names for people."""

from __future__ import annotations

import re
from typing import Final

LONGEST_SLUG: Final = 64


def slug_of(name: str) -> str:
    """*name* as lower-case letters, digits and hyphens; "" if it has none of them."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:LONGEST_SLUG].strip("-")
