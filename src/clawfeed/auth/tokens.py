"""Secrets we hand out: random, shown once, kept as SHA-256.

A plain hash is enough for 256 random bits (ASVS 6.5.2); slow ones are for what people invent.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
import string
from dataclasses import dataclass, field

_BASE62 = string.digits + string.ascii_letters
_ID_LENGTH, _SECRET_LENGTH = 8, 43  # 62 ** 43 is just over 2 ** 256
_KEY = re.compile(rf"cf_([0-9A-Za-z]{{{_ID_LENGTH}}})_[0-9A-Za-z]{{{_SECRET_LENGTH}}}")


@dataclass(frozen=True, slots=True, kw_only=True)
class FreshKey:
    """A new API key. *text* is shown to its owner once and forgotten."""

    text: str = field(repr=False)
    key_id: str
    key_hash: bytes = field(repr=False)
    last4: str


def new_token() -> str:
    """32 random bytes for a cookie or a link."""
    return secrets.token_urlsafe(32)


def setup_link(base_url: str, token: str) -> str:
    """The one-time link that sets a password."""
    return f"{base_url.rstrip('/')}/setup/{token}"


def feed_address(base_url: str, token: str) -> str:
    """The secret address of somebody's own daily editions as a feed."""
    return f"{base_url.rstrip('/')}/feed/daily.rss?token={token}"


def hash_of(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()


def is_same(one: str | bytes, other: str | bytes) -> bool:
    """Compare secrets in a time that does not tell how much of them is right."""
    return hmac.compare_digest(_bytes(one), _bytes(other))


def new_key() -> FreshKey:
    key_id = _random(_ID_LENGTH)
    text = f"cf_{key_id}_{_random(_SECRET_LENGTH)}"
    return FreshKey(text=text, key_id=key_id, key_hash=hash_of(text), last4=text[-4:])


def key_id_of(text: str) -> str | None:
    """The readable part, if *text* has the shape of one of our keys."""
    found = _KEY.fullmatch(text)
    return found[1] if found else None


def _random(length: int) -> str:
    return "".join(secrets.choice(_BASE62) for _ in range(length))


def _bytes(value: str | bytes) -> bytes:
    return value if isinstance(value, bytes) else value.encode("utf-8", "surrogatepass")
