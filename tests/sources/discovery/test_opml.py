"""OPML in and out: sloppy lists are read, hostile ones refused, secrets stay at home."""

from __future__ import annotations

import codecs
from collections.abc import Mapping

import pytest

from clawfeed.domain.errors import InvalidInputError, SourceError
from clawfeed.domain.ids import JsonValue, SourceId
from clawfeed.domain.sources.source import Source
from clawfeed.sources.discovery.opml import read_opml, render_opml, to_wanted
from clawfeed.sources.documents.errors import UnreadableError
from clawfeed.sources.documents.opml import (
    DEEPEST_ELEMENT,
    LARGEST_DOCUMENT,
    MOST_FEEDS,
    Outline,
    parse_opml,
)
from clawfeed.sources.parsing.pool import ParsePool
from clawfeed.sources.source_types.built_in import BUILT_IN
from clawfeed.storage.sources.imported_folders import Folder
from tests.support.hostile_xml import SECRET, documents, lists, nested_opml, opml_with_entity

FEED = '<outline text="A" xmlUrl="https://a.example/feed"/>'


def opml(body: str) -> bytes:
    return f'<?xml version="1.0"?><opml version="2.0"><body>{body}</body></opml>'.encode()


def source(kind: str, config: Mapping[str, JsonValue], **more: object) -> Source:
    settings = {
        "id": SourceId(1),
        "name": "Näme <&\"'>",
        "is_public": True,
        "cursor": {},
        **more,
    }
    return Source(type=kind, config=config, **settings)  # type: ignore[arg-type]  # a table of anything


def test_folders_are_told_and_the_order_is_kept() -> None:
    body = (
        '<outline text="Folder"><outline text="One" xmlUrl="https://1.example/"/>'
        '<outline text="In / <b>out</b>"><outline title="Two" text="x" xmlUrl="https://2.example/"/>'
        '</outline><outline><outline text="Three" xmlUrl="https://3.example/"/></outline></outline>'
        '<outline text="Four" xmlUrl="https://4.example/"/><outline text="a note"/>'
    ).replace("<b>out</b>", "&lt;b&gt;out&lt;/b&gt;")

    outlines = parse_opml(opml(body)).outlines

    assert [(each.name, each.address, each.folder) for each in outlines] == [
        ("One", "https://1.example/", "Folder"),
        ("Two", "https://2.example/", "Folder / In/out"),
        ("Three", "https://3.example/", "Folder"),
        ("Four", "https://4.example/", ""),
    ]


def test_folders_come_back_as_they_were() -> None:
    """In each other, with a source in two of them, and none that would be empty."""
    sources = [source("rss", {"url": f"https://{n}.example/"}, id=SourceId(n)) for n in range(1, 5)]
    packs = {"A": (1, 2), "A / 3 < & B": (2, 3), "C / D": (2,), "Deleted": (9,)}
    folders = [Folder(name=n, source_ids=tuple(map(SourceId, i))) for n, i in packs.items()]

    written = render_opml(sources, BUILT_IN, title="t", folders=folders).document

    outlines = parse_opml(written.encode()).outlines
    assert [(each.address, each.folder) for each in outlines] == [
        ("https://4.example/", ""),
        ("https://1.example/", "A"),
        ("https://2.example/", "A"),
        ("https://2.example/", "A / 3 < & B"),
        ("https://3.example/", "A / 3 < & B"),
        ("https://2.example/", "C / D"),
    ]
    assert written.count("<outline") == len(outlines) + 4
    assert "Deleted" not in written


@pytest.mark.parametrize(
    ("outline", "address"),
    [
        ('<outline xmlurl="https://a.example/"/>', "https://a.example/"),
        ('<OUTLINE XMLURL=" https://a.example/ "/>', "https://a.example/"),
        (
            "<outline xmlUrl='https://a.example/?a=1&b=2&amp;c=3'/>",
            "https://a.example/?a=1&b=2&c=3",
        ),
        ('<outline xmlUrl="feed://a.example/x"/>', "http://a.example/x"),
        ('<outline xmlUrl="feed:https://a.example/x"/>', "https://a.example/x"),
        ('<outline odd:thing="1" xmlUrl="https://a.example/"/>', "https://a.example/"),
        ('<outline xmlUrl=""/>', ""),
    ],
)
def test_lists_as_they_are_really_written(outline: str, address: str) -> None:
    [found] = parse_opml(opml(outline)).outlines

    assert found.address == address


@pytest.mark.parametrize("codec", ["utf-8-sig", "utf-16", "gb18030"])
def test_the_encoding_is_found_out(codec: str) -> None:
    text = f'<?xml version="1.0" encoding="{codec.removesuffix("-sig")}"?>'
    text += '<opml><body><outline text="晨报" xmlUrl="https://a.example/"/></body></opml>'

    [found] = parse_opml(text.encode(codec)).outlines

    assert found.name == "晨报"


def test_names_are_plain_text_and_control_characters_are_gone() -> None:
    outline = '<outline title="&lt;svg onload=alert(1)&gt;" text="A&amp;nbsp;B\x07" xmlUrl="x"/>'

    [found] = parse_opml(opml(outline).replace(b"<body>", b"<body>\x00")).outlines

    assert found.name == "A B"


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        (b'<!DOCTYPE opml SYSTEM "http://canary.example/x"><opml/>', "document type"),
        (b'<!doctype opml [<!ENTITY x "y">]><opml/>', "document type"),
        (codecs.BOM_UTF16_LE + "<!DOCTYPE opml><opml/>".encode("utf-16-le"), "document type"),
        (b'<?xml version="1.0" encoding="UTF-7"?>+ADwAIQ-DOCTYPE opml+AD4-<opml/>', "well-formed"),
        (b"<!DOCTYPE html><title>Log in</title>", "web page"),
        (b"<rss><channel/></rss>", "no OPML"),
        (b"<opml><body>", "well-formed"),
        (b"", "well-formed"),
        (b"\xff\xfe\x00", "well-formed"),
        (opml("<outline>" * (DEEPEST_ELEMENT + 1)), "nested too deeply"),
        (opml("<!--" + "x" * LARGEST_DOCUMENT + "-->"), "larger than 5 MB"),
        (opml(FEED * (MOST_FEEDS + 1)), "more than 5000 feeds"),
        (opml("".join(f'<outline text="{n}">{FEED}</outline>' for n in range(501))), "500 folders"),
    ],
)
def test_hostile_and_foreign_documents_are_refused_with_a_sentence(
    body: bytes, sentence: str
) -> None:
    """(T8, T26)."""
    with pytest.raises(UnreadableError, match=sentence):
        parse_opml(body)


def test_exactly_the_most_feeds_are_read() -> None:
    """(T26): the limit itself is allowed."""
    assert len(parse_opml(opml(FEED * MOST_FEEDS)).outlines) == MOST_FEEDS


CANARY = "http://127.0.0.1:9/canary"
HOSTILE = {
    "an entity": opml_with_entity(CANARY).encode(),
    "an entity in UTF-16": opml_with_entity(CANARY).encode("utf-16"),
    "deep outlines": nested_opml(5000),
}


@pytest.mark.parametrize("name", HOSTILE)
async def test_hostile_lists_are_refused_in_the_worker(name: str) -> None:
    """(T8): in a process that can open neither files nor sockets."""
    async with ParsePool() as pool:
        with pytest.raises(SourceError, match=r"document type|nested too deeply"):
            await read_opml(pool, HOSTILE[name])
        document = await read_opml(pool, opml(FEED))

    assert document.outlines == (Outline(name="A", address="https://a.example/feed"),)


def test_no_entity_of_a_hostile_document_reaches_an_outline() -> None:
    """(T8)."""
    read: list[Outline] = []
    for name, body in {**documents(CANARY), **lists(CANARY)}.items():
        try:
            outlines = parse_opml(body).outlines
        except UnreadableError:
            continue
        assert SECRET not in str(outlines), name
        read += outlines

    assert len(read) >= 10


ROUND_TRIP: list[tuple[str, dict[str, JsonValue]]] = [
    ("rss", {"url": "https://a.example/?a=1&b=%22<x>"}),
    ("rss", {"url": "https://a.example/", "fetch_interval_minutes": 30}),
    ("digest_feed", {"url": "https://a.example/feed.json"}),
    ("website", {"url": "https://a.example/"}),
    ("hackernews", {"filter": "top", "min_score": 0}),
    ("reddit", {"subreddit": "python", "sort": "hot", "limit": 25}),
    ("twitter_feed", {"handle": "@example"}),
    ("twitter_bookmarks", {}),
    ("custom_api", {"endpoint": "https://a.example/", "fields": {"title": "名前\n\"'"}}),
    ("my-plugin", {"list": [1, None, True, {"a": []}]}),
]


@pytest.mark.parametrize(("kind", "config"), ROUND_TRIP)
@pytest.mark.parametrize("is_public", [True, False])
def test_our_own_list_comes_back_as_it_was(
    kind: str, config: dict[str, JsonValue], *, is_public: bool
) -> None:
    written = render_opml([source(kind, config, is_public=is_public)], BUILT_IN, title="<Mine>")

    [outline] = parse_opml(written.document.encode()).outlines

    wanted = to_wanted(outline, BUILT_IN)
    assert (wanted.type, wanted.config, wanted.is_public) == (kind, config, is_public)
    assert wanted.name == "Näme <&\"'>"
    assert written.notes == ()


def test_another_prefix_for_our_namespace_is_understood() -> None:
    body = (
        '<opml xmlns:c="urn:clawfeed:opml" xmlns:x="urn:other"><body><outline x:type="no" '
        "c:type=\"reddit\" c:config='{&quot;subreddit&quot;:&quot;a&quot;}'/></body></opml>"
    )

    [outline] = parse_opml(body.encode()).outlines

    assert to_wanted(outline, BUILT_IN).config == {"subreddit": "a"}


def test_a_website_is_listed_with_the_feed_we_found_on_it() -> None:
    """For other readers; we ourselves come back to the page."""
    cursor = {"feed_url": "https://a.example/feed.xml"}
    site = source("website", {"url": "https://a.example/"}, cursor=cursor)

    document = render_opml([site], BUILT_IN, title="t").document

    assert 'xmlUrl="https://a.example/feed.xml"' in document
    assert to_wanted(parse_opml(document.encode()).outlines[0], BUILT_IN).config == site.config


def test_secrets_are_never_written() -> None:
    """(T17)."""
    canary = "canary5d1c9a7e2b"
    sources = [
        source("custom_api", {"endpoint": "https://a.example/", "headers": {"X-Key": canary}}),
        source("rss", {"url": f"https://a.example/feed?token={canary}"}, id=SourceId(2)),
        source(
            "website",
            {"url": "https://b.example/"},
            cursor={"feed_url": f"https://b.example/feed?key={canary}", "etag": canary},
            id=SourceId(3),
        ),
    ]

    written = render_opml(sources, BUILT_IN, title="t")

    assert canary not in written.document + str(written.notes)
    assert written.document.count("<outline") == 2
    assert len(written.notes) == 2


@pytest.mark.parametrize(
    "config",
    [
        '{"a": NaN}',
        '{"a": 1e999}',
        "[1]",
        "{",
        r'{"a": "\u0000"}',
        r'{"a": "\ud800"}',
        pytest.param("[" * 50_000, id="deep"),
        pytest.param('{"a": "' + "x" * 70_000 + '"}', id="long"),
        pytest.param("9" * 5000, id="digits"),
    ],
)
def test_a_config_that_cannot_be_stored_is_refused(config: str) -> None:
    with pytest.raises(InvalidInputError, match="config"):
        to_wanted(Outline(name="n", address="", type="reddit", config=config), BUILT_IN)


def test_an_outline_without_an_address_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="no address"):
        to_wanted(Outline(name="n", address=""), BUILT_IN)


def test_what_is_no_feed_is_counted_and_folders_are_not() -> None:
    body = (
        '<outline text="Folder"><outline type="link" url="https://a.example/"/></outline>'
        '<outline type="include" url="https://b.example/list.opml"/>'
        '<outline htmlUrl="https://c.example/"/><outline text="a note"/>'
    )

    document = parse_opml(opml(body + FEED))

    assert (len(document.outlines), document.without_feed) == (1, 3)
