"""Which entries of a feed are stored already: eight bytes of each one's key, kept in the cursor.

Cleaning texts is a good part of reading a feed, and nearly all of them are those of the last poll.
The keys are saved in the same transaction as the items they name, and an item's key is never
removed: an entry whose key is here would be recognised by the database, so nobody need clean it.
Whatever is lost or damaged here costs a cleaning, never an item.
"""

from __future__ import annotations

import binascii
from collections.abc import Iterable
from hashlib import blake2b
from typing import Any, Final

import orjson

from clawfeed.domain.ids import SourceId
from clawfeed.domain.sources.item import link_key

# With 1,000 keys in a cursor, one new entry in 10**16 would be taken for a stored one.
SIZE: Final = 8
# The keys of one source never meet those of another.
_ANY_SOURCE: Final = SourceId(0)


def entry_key(url: str | None, version: str | None) -> bytes:
    """The key by URL and version; b"" without a URL, where the text is what names an entry."""
    if url is None:
        return b""
    name = link_key(_ANY_SOURCE, url, version)
    return blake2b(name.encode("utf-8", "surrogatepass"), digest_size=SIZE).digest()


def content_key(*parts: Any) -> bytes:  # noqa: ANN401 - an entry as its parser gives it
    """The key of an entry without URL: all that its cleaned text is made of; b"" if not JSON."""
    try:
        raw = orjson.dumps(parts, default=str, option=orjson.OPT_NON_STR_KEYS)
    except TypeError:  # half a character
        return b""
    return blake2b(raw, digest_size=SIZE).digest()


def pack_keys(keys: Iterable[bytes]) -> str:
    """The keys as the text that a cursor holds."""
    return binascii.b2a_base64(b"".join(keys), newline=False).decode()


def unpack_keys(text: str) -> frozenset[bytes]:
    """The keys in a text of `pack_keys`; none if it is none."""
    try:
        raw = binascii.a2b_base64(text, strict_mode=True)
    except ValueError:
        return frozenset()
    return frozenset(raw[at : at + SIZE] for at in range(0, len(raw), SIZE))
