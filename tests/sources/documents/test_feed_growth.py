"""No feed costs more than its size: four times the bytes, about four times the work (T8).

Quadratic work would be sixteen times. Compared is processor time within one run, the best of
three, so neither the machine's speed nor its neighbours matter.
"""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime
from time import process_time
from typing import Final

import pytest

from clawfeed.sources.documents.errors import UnreadableError
from clawfeed.sources.documents.feed import parse_feed

NOW: Final = datetime(2026, 11, 1, 12, tzinfo=UTC)
HEAD: Final = b"<rss><channel>"
ITEM: Final = b"<rss><channel><item><title>a</title><br>"
TAIL: Final = b"</item></channel></rss>"
SMALL: Final = 8_000  # large enough to be measured, small enough for a broken one to end
# Between 4 (linear) and 16 (quadratic).
MOST_GROWTH: Final = 9
LEAST_TIME: Final = 0.004  # below this the clock and the caches speak
# before, repeated, after
HOSTILE: Final = {
    "texts that never end": (ITEM, b"<description>", b""),
    "texts that end once": (ITEM, b"<description>", b"</description>"),
    "CDATA that never ends": (ITEM, b"<![CDATA[", b""),
    "texts with endless CDATA": (ITEM, b"<title><![CDATA[", b""),
    "ends inside CDATA": (ITEM, b"<title><![CDATA[</title>]]>", b""),
    "many CDATA in one text": (ITEM + b"<title>", b"<![CDATA[]]>", b"</title>"),
    "comments that never end": (ITEM, b"<!--", b""),
    "CDATA beside entities": (b'<!DOCTYPE rss [<!ENTITY a "b">]>' + ITEM, b"<![CDATA[", b""),
    "texts without end in items with one": (ITEM, b"<title></item><item>", b""),
    "texts that end at the next": (ITEM, b"<title><link>", b""),
    "quotes in quotes": (ITEM, b"<a b=\"'", b""),
    "values without quotes": (ITEM + b"<a ", b"b=c ", b">"),
    "tags that never end": (ITEM, b"<title ", b""),
    "attributes in one tag": (ITEM + b"<a", b' a%d=""', b">"),
    "ampersands": (ITEM, b"&", b""),
    "less-than signs": (ITEM, b"<", b""),
    "groups in groups": (ITEM.replace(b"<br>", b""), b"<media:group>", TAIL),
    "elements in elements": (ITEM + b"<description>", b"<b>", b"</description>" + TAIL),
    "items in items": (ITEM, b"<item>", b""),
    "frames": (ITEM + b"<description>", b"&lt;iframe ", b"/&gt;</description>" + TAIL),
    "a hint of spaces": (HEAD + b"<ttl>", b" ", b"<b/></ttl></channel></rss>"),
    "another": (HEAD + b"<sy:updatePeriod>", b" ", b"<b/></channel></rss>"),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_work_grows_with_the_size_of_a_document_and_no_faster(kind: str) -> None:
    """A neighbour may slow three tries in a row down, but not all of five rounds."""
    assert any(_growth(kind) <= MOST_GROWTH for _ in range(5))


def _growth(kind: str) -> float:
    small, large = (min(_cost(kind, size) for _ in range(3)) for size in (SMALL, 4 * SMALL))
    return large / max(small, LEAST_TIME)


def _cost(kind: str, size: int) -> float:
    body = _document(kind, size)
    started = process_time()
    with suppress(UnreadableError):
        parse_feed(body, content_type="", base_url="https://s.example/f", now=NOW)
    return process_time() - started


def _document(kind: str, size: int) -> bytes:
    before, repeated, after = HOSTILE[kind]
    times = size // len(repeated)
    if b"%d" in repeated:
        return before + b"".join(repeated.replace(b"%d", b"%d" % n) for n in range(times)) + after
    return before + repeated * times + after
