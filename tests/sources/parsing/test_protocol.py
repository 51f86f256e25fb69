"""What parse processes send arrives as it was, or not at all."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from msgspec import msgpack

from clawfeed.domain.sources.item import Draft
from clawfeed.sources.documents.feed import FeedDocument
from clawfeed.sources.documents.web_page import FeedLink, PageDocument
from clawfeed.sources.parsing.protocol import (
    DONE_MARK,
    LENGTH,
    pack_request,
    pack_result,
    result_in,
    unpack_request,
)

DRAFT = Draft(
    title="“Zwölf” \U0001f99e",
    url="https://a.example/1",
    content="<p>&amp;</p>\n",
    published_at=datetime(2026, 11, 16, 7, 30, 1, tzinfo=UTC),
    metadata={"guid": "1", "categories": ["a", "b"], "score": 1.5, "more": {"x": None}},
)
FEED = FeedDocument(
    title="Site",
    entries=(DRAFT,),
    ttl=timedelta(minutes=90),
    skip_hours=frozenset({0, 23}),
    skip_days=frozenset({6}),
    dropped=2,
)
PAGE = PageDocument(title="Page", feeds=(FeedLink("https://a.example/f", "text/xml", "All"),))


pack = msgpack.Encoder().encode


def content(frame: bytes) -> memoryview:
    assert LENGTH.unpack_from(frame)[0] == len(frame) - LENGTH.size
    assert frame[LENGTH.size :][:1] == DONE_MARK
    return memoryview(frame)[LENGTH.size + 1 :]


@pytest.mark.parametrize("document", [FEED, PAGE], ids=["feed", "page"])
def test_a_result_arrives_as_it_was(document: FeedDocument | PageDocument) -> None:
    assert result_in(content(pack_result(document)), type(document)) == document


def test_a_request_arrives_as_it_was() -> None:
    frame = pack_request("feed", b"\0<rss>", {"base_url": "https://a.example/", "limit": 3})

    kind, options, body = unpack_request(frame[LENGTH.size :])

    assert (kind, body) == ("feed", b"\0<rss>")
    assert options == {"base_url": "https://a.example/", "limit": 3}


@pytest.mark.parametrize(
    "forged",
    [
        b"",
        b"no document",
        pack([]),
        pack({}),
        pack({"title": 7}),
        pack({"title": "x", "ttl": "soon"}),
        pack({"title": "x", "entries": {}}),
        pack({"title": "x", "entries": [{"title": None}]}),
        pack({"title": "x", "entries": [{"title": "t", "content": ["<script>"]}]}),
        pack({"title": "x", "entries": [{"title": "t", "published_at": 12}]}),
        pack({"title": "x", "entries": [{"title": "t", "metadata": "m"}]}),
        pack({"title": "x", "skip_hours": ["1"]}),
        pack({"title": "x?"}).replace(b"?", b"\xff"),
        pack({"title": "x", "entries": []})[:-1] + b"\xdd\xff\xff\xff\xff",  # says it has 2**32
    ],
)
def test_what_a_process_forged_is_not_believed(forged: bytes) -> None:
    """(T7): it sat with hostile bytes, and its answers are theirs if it was taken over."""
    with pytest.raises(ValueError, match=r"."):
        result_in(memoryview(forged), FeedDocument)


def test_what_is_nobodys_field_is_left_out() -> None:
    raw = pack({"title": "x", "__class__": "y", "entries": []})

    assert result_in(memoryview(raw), FeedDocument) == FeedDocument(title="x")
