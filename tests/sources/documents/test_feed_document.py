"""Feeds of every kind, quality and intent, read into clean values (S001-5, S001-6)."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from clawfeed.domain.sources.item import Draft
from clawfeed.sources.documents.errors import UnreadableError
from clawfeed.sources.documents.feed import (
    LARGEST_BODY,
    MOST_ENTRIES,
    FeedDocument,
    parse_feed,
)
from clawfeed.sources.documents.size_limit import MOST_CONTENT

NOW = datetime(2026, 11, 1, 12, tzinfo=UTC)
BASE = "https://site.example/feed.xml"
DAY = datetime(2024, 5, 6, 7, 8, 9, tzinfo=UTC)
RFC822 = "Mon, 06 May 2024 07:08:09 GMT"


def read(body: str | bytes, content_type: str = "") -> FeedDocument:
    raw = body.encode() if isinstance(body, str) else body
    return parse_feed(raw, content_type=content_type, base_url=BASE, now=NOW)


def rss(items: str, channel: str = "<title>Site</title><link>https://site.example/</link>") -> str:
    return f'<rss version="2.0"><channel>{channel}{items}</channel></rss>'


def only(document: FeedDocument) -> Draft:
    (entry,) = document.entries
    return entry


ITEM = f"""<title>First</title><link>https://site.example/1</link>
    <description>Words</description><pubDate>{RFC822}</pubDate>"""
ATOM_ENTRY = '<title>First</title><link href="https://site.example/1"/>'
FORMATS = {
    "RSS 0.91": f'<?xml version="1.0"?><!DOCTYPE rss PUBLIC "-//Netscape//DTD RSS 0.91//EN" '
    f'"http://my.netscape.example/rss-0.91.dtd"><rss version="0.91"><channel><title>Site</title>'
    f"<link>https://site.example/</link><item>{ITEM}</item></channel></rss>",
    "RSS 0.92": rss(f"<item>{ITEM}</item>").replace("2.0", "0.92"),
    "RSS 2.0": '<?xml version="1.0" encoding="UTF-8"?>\n' + rss(f"<item>{ITEM}</item>"),
    "RSS 1.0": '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" '
    'xmlns="http://purl.org/rss/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/">'
    '<channel rdf:about="x"><title>Site</title><link>https://site.example/</link></channel>'
    '<item rdf:about="https://site.example/1"><title>First</title>'
    "<link>https://site.example/1</link><description>Words</description>"
    "<dc:date>2024-05-06T07:08:09Z</dc:date></item></rdf:RDF>",
    "Atom 1.0": '<feed xmlns="http://www.w3.org/2005/Atom"><title>Site</title>'
    f'<link href="https://site.example/"/><entry>{ATOM_ENTRY}<id>1</id>'
    "<published>2024-05-06T07:08:09Z</published><content>Words</content></entry></feed>",
    "Atom 0.3": '<feed version="0.3" xmlns="http://purl.org/atom/ns#"><title>Site</title>'
    '<link rel="alternate" href="https://site.example/"/><entry><title>First</title>'
    '<link rel="alternate" href="https://site.example/1"/><id>1</id>'
    "<issued>2024-05-06T07:08:09Z</issued><content>Words</content></entry></feed>",
    "JSON Feed 1.1": json.dumps(
        {
            "version": "https://jsonfeed.org/version/1.1",
            "title": "Site",
            "home_page_url": "https://site.example/",
            "items": [
                {
                    "id": 1,
                    "title": "First",
                    "url": "/1",
                    "content_html": "Words",
                    "date_published": "2024-05-06T09:08:09+02:00",
                }
            ],
        }
    ),
}  # fmt: skip


@pytest.mark.parametrize("body", FORMATS.values(), ids=FORMATS.keys())
def test_every_format_gives_the_same_item(body: str) -> None:
    """(S001-5, S001-6) title, URL, content, time."""
    document = read(body)

    assert document.title == "Site"
    entry = only(document)
    assert (entry.title, entry.url) == ("First", "https://site.example/1")
    assert (entry.content, entry.published_at) == ("Words", DAY)


def test_rss_090_without_dates_or_texts() -> None:
    body = (
        '<?xml version="1.0"?><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" '
        'xmlns="http://my.netscape.com/rdf/simple/0.9/"><channel><title>Old</title></channel>'
        "<item><title>One</title><link>http://site.example/1</link></item></rdf:RDF>"
    )

    assert only(read(body)).url == "http://site.example/1"


XHTML = '<content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>Hi</p></div></content>'


@pytest.mark.parametrize(
    "twist",
    [
        "<!-- nothing -->",
        '<!DOCTYPE rss [<!ENTITY own "own">]>',  # entities of its own: the thorough parser
    ],
)
def test_both_parsers_agree_on_identities_and_dates(twist: str) -> None:
    link = "&lt;p&gt;Text &lt;a href='/x'&gt;here&lt;/a&gt;&lt;/p&gt;"
    items = "".join(
        f"<item><title>T{n} &amp; more</title><link>/posts/{n}</link><guid>tag:{n}</guid>"
        f"<pubDate>{6 + n:02d} May 2024 07:08:09 +0{n}00</pubDate><author>Ann</author>"
        f"<category>news</category><comments>/posts/{n}#c</comments>"
        f'<enclosure url="/{n}.mp3" type="audio/mpeg" length="12"/>'
        f"<description>{link}</description></item>"
        for n in range(5)
    )

    document = read(twist + rss(items))

    assert [e.metadata["guid"] for e in document.entries] == [f"tag:{n}" for n in range(5)]
    assert [e.url for e in document.entries] == [
        f"https://site.example/posts/{n}" for n in range(5)
    ]
    assert [e.published_at for e in document.entries] == [
        DAY + timedelta(days=n, hours=-n) for n in range(5)
    ]
    first = document.entries[0]
    assert first.title == "T0 & more"
    assert 'href="https://site.example/x"' in first.content
    assert first.metadata == {
        "guid": "tag:0",
        "categories": ["news"],
        "comments": "https://site.example/posts/0#c",
        "enclosure": {"url": "https://site.example/0.mp3", "type": "audio/mpeg", "length": 12},
    }


def test_inline_xhtml_is_read_whole() -> None:
    body = f'<feed xmlns="http://www.w3.org/2005/Atom"><entry>{ATOM_ENTRY}{XHTML}</entry></feed>'

    assert only(read(body)).content == "<p>Hi</p>"


def test_base64_content_is_decoded() -> None:
    content = '<content type="text/html" mode="base64">PHA+SGk8L3A+</content>'
    body = f'<feed version="0.3" xmlns="http://purl.org/atom/ns#"><entry>{ATOM_ENTRY}{content}</entry></feed>'

    assert only(read(body)).content == "<p>Hi</p>"


def test_the_link_of_an_atom_entry_is_the_one_without_rel() -> None:
    links = '<link rel="self" href="/self"/><link rel="replies" href="/r"/><link href="/page"/>'
    body = (
        f'<feed xmlns="http://www.w3.org/2005/Atom"><entry><title>x</title>{links}</entry></feed>'
    )

    assert only(read(body)).url == "https://site.example/page"


@pytest.mark.parametrize(
    ("attribute", "url"),
    [
        ('xml:base="https://other.example/a/"', "https://other.example/a/p"),
        ('xml:base="/a/"', "https://site.example/a/p"),
        ('xml:base="javascript:alert(1)//"', "https://site.example/p"),
    ],
)
def test_relative_links_follow_the_declared_base(attribute: str, url: str) -> None:
    body = (
        f'<feed xmlns="http://www.w3.org/2005/Atom" {attribute}><entry><title>x</title>'
        '<link href="p"/></entry></feed>'
    )

    assert only(read(body)).url == url


def test_relative_images_belong_to_the_page_the_text_was_taken_from() -> None:
    item = "<item><link>/2024/post/</link><description>&lt;img src='a.png'&gt;</description></item>"

    assert only(read(rss(item))).content == '<img src="https://site.example/2024/post/a.png">'


@pytest.mark.parametrize(
    ("item", "url"),
    [
        ("<title>x</title><guid>http://other.example/1</guid>", "http://other.example/1"),
        ("<title>x</title><guid isPermaLink='true'>http://e.example/1</guid>", "http://e.example/1"),
        ("<title>x</title><link>javascript:x</link><guid>http://e.example/1</guid>", "http://e.example/1"),
        ("<title>x</title><guid>just-an-id</guid>", None),
        ("<title>x</title><guid isPermaLink='true'>javascript:alert(1)</guid>", None),
        ("<title>x</title><link>data:text/html,x</link>", None),
    ],
)  # fmt: skip
@pytest.mark.parametrize("twist", ["", '<!DOCTYPE rss [<!ENTITY own "own">]>'])
def test_the_url_is_the_link_or_a_guid_that_is_one(twist: str, item: str, url: str | None) -> None:
    assert only(read(twist + rss(f"<item>{item}</item>"))).url == url


def test_a_title_falls_back_to_the_first_words_then_to_the_url() -> None:
    long = "word " * 50
    document = read(
        rss(
            f"<item><description>&lt;p&gt;{long}&lt;/p&gt;</description></item>"
            "<item><link>/only-a-link</link></item><item/><item><title> </title></item>"
        )
    )

    assert document.entries[0].title.startswith("word word")
    assert len(document.entries[0].title) <= 120
    assert document.entries[1].title == "https://site.example/only-a-link"
    assert document.dropped == 2


def test_an_item_without_a_date_has_none_even_if_its_guid_looks_like_one() -> None:
    document = read(
        rss(
            "<item><title>a</title><guid>7</guid></item>"
            f"<item><title>b</title><guid>20240506</guid><pubDate>{RFC822}</pubDate></item>"
            "<item><title>c</title><guid>9</guid><pubDate>yesterday</pubDate></item>"
        )
    )

    assert [entry.published_at for entry in document.entries] == [None, DAY, None]


@pytest.mark.parametrize(
    "date",
    [
        "Mon, 06 May 2024 15:08:09 +0800",
        "Mon, 06 May 2024 15:08:09 +08:00",
        "06 May 2024 02:08:09 -05:00",
        "Mon, 06 May 2024 15:08:09 GMT+08:00",
        "Mon, 06 May 2024 15:08:09 UTC+08:00",
        "<![CDATA[Mon, 06 May 2024 15:08:09 +08:00]]>",
        "\n  Mon, 06 May 2024 15:08:09 +08:00\n  ",
        "2024-05-06T15:08:09+08:00",
    ],
)
@pytest.mark.parametrize("twist", ["", '<!DOCTYPE rss [<!ENTITY own "own">]>'])
def test_an_offset_counts_with_and_without_its_colon(twist: str, date: str) -> None:
    """The fast parser takes "+08:00" after an RFC 822 date for nothing."""
    items = f"<item><title>x</title><pubDate>{date}</pubDate></item>"

    assert only(read(twist + rss(items))).published_at == DAY


ATOM_FEED = '<feed xmlns="http://www.w3.org/2005/Atom">'
ENTITIES = '<!DOCTYPE feed [<!ENTITY own "own">]>'  # entities of its own: the thorough parser


@pytest.mark.parametrize(
    ("title", "clean"),
    [
        ("<title>Map List&lt;String&gt; &amp;amp; K</title>", "Map List<String> &amp; K"),
        ("<title type='text'>What is &amp;nbsp;?</title>", "What is &nbsp;?"),
        ("<title type='text/plain'>&lt;b&gt;</title>", "<b>"),
        ('<title type="html">&lt;b&gt;Bold&lt;/b&gt; &amp;amp; more</title>', "Bold & more"),
        ('<title type="html"><![CDATA[A <b>bold</b> &amp; x]]></title>', "A bold & x"),
        ("<title><![CDATA[vector<bool>]]></title>", "vector<bool>"),
        ("<source><title type='html'>S</title></source><title>a &lt;b&gt;</title>", "a <b>"),
        (
            "<summary><![CDATA[<entry><title type='html'>]]></summary><title>a &lt;b&gt;</title>",
            "a <b>",
        ),
    ],
)
@pytest.mark.parametrize("twist", ["", ENTITIES])
def test_an_atom_title_is_the_text_or_the_html_it_says_it_is(
    twist: str, title: str, clean: str
) -> None:
    """RFC 4287, 3.1: plain text unless it says otherwise; each entry for itself."""
    html = '<title type="html">&lt;i&gt;Other&lt;/i&gt;</title>'
    entries = f"<entry>{html}</entry><entry>{title}</entry><entry>{html}</entry>"

    document = read(f"{twist}{ATOM_FEED}{title}{entries}</feed>")

    assert [entry.title for entry in document.entries] == ["Other", clean, "Other"]
    if not title.startswith(("<source", "<summary")):
        assert document.title == clean


def test_a_json_feeds_titles_are_plain_text() -> None:
    title = "One <T> &amp; two"
    feed = {"version": "https://jsonfeed.org/version/1.1", "title": title}

    document = read(json.dumps({**feed, "items": [{"id": 1, "title": title}]}))

    assert (document.title, only(document).title) == (title, title)


@pytest.mark.parametrize("twist", ["", ENTITIES])
def test_an_entry_without_an_author_has_the_feeds(twist: str) -> None:
    """RFC 4287, 4.2.1."""
    feed, own = (f"<author><name>{name}</name></author>" for name in ("Ann", "Bob"))
    entries = f"<entry>{ATOM_ENTRY}</entry><entry>{ATOM_ENTRY}{own}</entry>"

    document = read(f"{twist}{ATOM_FEED}{feed}{entries}</feed>")

    assert [entry.author for entry in document.entries] == ["Ann", "Bob"]


@pytest.mark.parametrize("twist", ["", ENTITIES])
def test_what_was_taken_from_another_feed_is_not_said_to_be_the_planets(twist: str) -> None:
    planet, bob = (f"<author><name>{name}</name></author>" for name in ("Planet", "Bob"))
    entry = f"<entry>{ATOM_ENTRY}<source><title>B</title>{bob}</source></entry>"

    document = read(f"{twist}{ATOM_FEED}{planet}{entry}</feed>")

    assert only(document).author is None


def test_an_item_of_a_json_feed_without_authors_has_the_feeds() -> None:
    items = [{"id": 1, "title": "x"}, {"id": 2, "title": "y", "authors": [{"name": "Bob"}]}]
    for people in ({"authors": [{"name": "Ann"}]}, {"author": {"name": "Ann"}}):
        feed = {"version": "https://jsonfeed.org/version/1.1", "items": items, **people}

        document = read(json.dumps(feed))

        assert [entry.author for entry in document.entries] == ["Ann", "Bob"]


def test_a_channels_editor_is_not_the_author_of_its_items() -> None:
    channel = "<title>arXiv</title><managingEditor>help@arxiv.example</managingEditor>"

    assert only(read(rss("<item><title>x</title></item>", channel))).author is None


def test_text_that_is_not_html_is_shown_as_it_was_written() -> None:
    plain = '<content type="text">1 &lt; 2 &amp; 3</content>'
    body = f'<feed xmlns="http://www.w3.org/2005/Atom"><entry>{ATOM_ENTRY}{plain}</entry></feed>'

    assert only(read(body)).content == "1 &lt; 2 &amp; 3"


@pytest.mark.parametrize(
    ("title", "clean"),
    [
        ("caf&eacute;&nbsp;noir &undefined; end", "café noir &undefined; end"),
        ("AT&T & friends", "AT&T & friends"),
        ("it&#39;s &#8220;fine&#8221; &#x1F600;", "it's “fine” 😀"),
        ("a&#0;b&#x1F;c&#55296;d&#1114112;e", "a\ufffdbc\ufffdd\ufffde"),
        ("windows &#150; dash", "windows – dash"),
        ("<![CDATA[Tom &amp; <b>Jerry</b> &eacute;]]>", "Tom & Jerry é"),
        ("<![CDATA[x]]> &nbsp;y", "x y"),
        ("&lt;script&gt;alert(1)&lt;/script&gt;News", "News"),
        ("nul \x00 and \x0b control", "nul and control"),
    ],
)
def test_references_and_controls_never_cost_the_rest_of_a_title(title: str, clean: str) -> None:
    assert only(read(rss(f"<item><title>{title}</title></item>"))).title == clean


def test_ampersands_inside_cdata_links_stay() -> None:
    item = "<title>&nbsp;x</title><link><![CDATA[https://site.example/?a=1&b=2]]></link>"

    assert only(read(rss(f"<item>{item}</item>"))).url == "https://site.example/?a=1&b=2"


@pytest.mark.parametrize(
    ("codec", "label", "title"),
    [
        ("gb18030", "GB2312", "中文新闻"),
        ("gb18030", "gb18030", "㐀中文"),
        ("big5", "Big5", "繁體中文"),
        ("shift_jis", "Shift_JIS", "日本語のニュース"),
        ("euc_kr", "EUC-KR", "한국어"),
        ("cp1251", "windows-1251", "Привет"),
        ("cp1252", "ISO-8859-1", "café – “x”"),
        ("utf-16", "UTF-16", "混合 тест"),
        ("utf-16-le", "UTF-16", "no mark"),
        ("utf-8-sig", "UTF-8", "mark"),
        ("utf-8", "us-ascii", "тест ✓"),
        ("utf-8", "x-made-up", "тест"),
    ],
)
def test_odd_encodings(codec: str, label: str, title: str) -> None:
    item = f"<item><title>{title}</title></item>"
    declared = f'<?xml version="1.0" encoding="{label}"?>' + rss(item)

    assert only(read(declared.encode(codec))).title == title
    if label not in {"us-ascii", "x-made-up", "UTF-16"}:
        by_header = read(rss(item).encode(codec), f"text/xml; charset={label}")
        assert only(by_header).title == title


@pytest.mark.parametrize(
    "body",
    [
        rss("<item><title>kept</title></item>")[:-20],
        "\n PHP <b>Warning</b>: x on line 1\n" + rss("<item><title>kept</title></item>"),
        rss("<item><title>kept</title></item>") + "<script>alert(1)</script>",
        rss("<item><title>kept</title><description><p>open<br></description></item>"),
        "\ufeff\ufeff" + rss("<item><title>kept</title></item>"),
        "<?xml-stylesheet href='http://x.example/x.xsl'?>"
        + rss("<item><title>kept</title></item>"),
        "<!-- <html> -->" + rss("<item><title>kept</title></item>"),
    ],
)
def test_malformed_documents_give_what_can_be_saved(body: str) -> None:
    assert read(body).entries[0].title == "kept"


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (b"", "empty"),
        (b" \n\t", "empty"),
        (b"\xef\xbb\xbf", "empty"),
        (b"<!doctype html><title>x</title><rss>", "web page"),
        (b"<?xml version='1.0'?><!DOCTYPE html PUBLIC 'x'><html><item/></html>", "web page"),
        (b"<html><link rel=alternate></html>", "web page"),
        (b"<opml><body/></opml>", "not a feed"),
        (b"just words", "not a feed"),
        (b"[" * 20_000, "not a feed"),
        (b'{"error": 1}', "not a JSON Feed"),
        (b'{"a": ', "not JSON"),
        (b'{"a": ' + b"[" * 20_000, "nested too deeply"),
        (b"<rss>" + b" " * LARGEST_BODY, "larger"),
    ],
)
def test_what_is_no_feed_says_so(body: bytes, why: str) -> None:
    with pytest.raises(UnreadableError, match=why):
        read(body)


def test_an_empty_feed_is_a_feed() -> None:
    assert read(rss("")).entries == ()
    assert read('<feed xmlns="http://www.w3.org/2005/Atom"><title>t</title></feed>').title == "t"


def test_at_most_a_thousand_entries_are_kept_and_the_rest_counted() -> None:
    """A feed of 1,200 (T7)."""
    document = read(rss("".join(f"<item><title>{n}</title></item>" for n in range(1200))))

    assert len(document.entries) == MOST_ENTRIES
    assert document.dropped == 200
    assert document.entries[0].title == "0"


def test_a_guid_of_64_kilobytes_becomes_a_short_hash() -> None:
    """(T30)."""
    entry = only(read(rss(f"<item><title>x</title><guid>{'g' * 65536}</guid></item>")))

    assert len(str(entry.metadata["guid"])) == 32


def test_a_feeds_wishes_for_when_to_come_back() -> None:
    channel = (
        "<title>x</title><ttl>90</ttl><skipHours><hour>0</hour><hour>24</hour><hour>7</hour>"
        "<hour>99</hour></skipHours><skipDays><day>Saturday</day><day>sunday</day><day>Doomsday</day>"
        "</skipDays>"
    )

    document = read(rss("<item><title>x</title></item>", channel))

    assert document.ttl == timedelta(minutes=90)
    assert document.skip_hours == {0, 7}
    assert document.skip_days == {5, 6}


@pytest.mark.parametrize(
    ("channel", "ttl"),
    [
        ("<ttl>0</ttl>", None),
        ("<ttl>soon</ttl>", None),
        ("<ttl><![CDATA[60]]></ttl>", timedelta(hours=1)),
        ("<sy:updatePeriod>hourly</sy:updatePeriod>", timedelta(hours=1)),
        (
            "<sy:updatePeriod> Daily </sy:updatePeriod><sy:updateFrequency>4</sy:updateFrequency>",
            timedelta(hours=6),
        ),
        ("<sy:updatePeriod>never</sy:updatePeriod>", None),
        ("<item><title>quotes &lt;ttl&gt;5&lt;/ttl&gt;</title></item>", None),
    ],
)
def test_the_interval_a_feed_names(channel: str, ttl: timedelta | None) -> None:
    body = rss(channel).replace(
        "<rss", '<rss xmlns:sy="http://purl.org/rss/1.0/modules/syndication/"'
    )

    assert read(body).ttl == ttl


def test_a_json_feed_full_of_wrong_types_gives_what_is_right() -> None:
    items = [
        {"id": {"$gt": ""}, "url": "javascript:alert(1)", "content_html": "<img src=x onerror=y>"},
        None,
        7,
        {"id": "b", "title": ["no"], "content_text": "1 < 2", "date_published": "9999-99-99"},
        {"id": "c", "external_url": "https://e.example/", "author": {"name": "<b>Ann</b>"},
         "tags": ["x", 3, None], "attachments": [{"url": "/a.mp3", "size_in_bytes": -1}, 5]},
    ]  # fmt: skip
    feed = {"version": "https://jsonfeed.org/version/1", "title": ["x"], "items": items}

    document = read(json.dumps(feed))

    first, second, third = document.entries
    assert (document.title, document.dropped) == ("", 2)
    assert (first.title, first.url) == ("(untitled)", None)
    assert first.content == '<img src="https://site.example/x">'
    assert (second.content, second.title, second.published_at) == ("1 &lt; 2", "1 < 2", None)
    assert (third.url, third.author) == ("https://e.example/", "Ann")
    assert third.metadata["categories"] == ["x"]


def test_half_an_emoji_costs_a_json_feed_no_item() -> None:
    half = "\\ud83d"
    spoilt = {
        "id": f"1{half}",
        "url": f"https://site.example/{half}1",
        "title": f"half {half} emoji",
        "content_html": f"<p>half {half}</p>",
        "authors": [{"name": f"Ann {half}"}],
        "tags": [half, "news"],
        "attachments": [{"url": f"https://site.example/a{half}.mp3"}],
    }
    version = "https://jsonfeed.org/version/1.1"
    body = json.dumps({"version": version, "items": [spoilt, {"id": "2", "title": "fine"}]})

    first, second = read(body.replace("\\\\", "\\")).entries

    assert (first.title, first.author, first.content) == ("half emoji", "Ann", "<p>half </p>")
    assert first.url == "https://site.example/1"
    assert first.metadata["guid"] == "1"
    assert first.metadata["categories"] == ["news"]
    assert second.title == "fine"


def test_a_reference_of_any_length_costs_no_other_entry() -> None:
    long = "&amp;#" + "9" * 4301 + ";"

    document = read(rss(f"<item><title>{long}</title></item><item><title>good</title></item>"))

    assert [entry.title for entry in document.entries] == ["\ufffd", "good"]


def test_markup_that_grows_without_end_is_cut_from_the_last_entries() -> None:
    """Relative images against a base of 2,000 characters: 63 MB out of half a megabyte (T7)."""
    base = f"https://site.example/{'a' * 2000}/"
    images = "words " + "&lt;img src=x&gt;" * 250
    items = [f"<item><guid>{n}</guid><description>{images}</description></item>" for n in range(36)]
    body = f'<rss xml:base="{base}"><channel>{"".join(items)}</channel></rss>'

    document = read(body)

    assert len(document.entries) == 36
    assert document.dropped == 0
    assert sum(len(entry.content) for entry in document.entries) <= MOST_CONTENT + 36 * 1000
    assert document.entries[0].content.count("<img") == 250
    assert document.entries[-1].content == "words"
    assert 0 < document.shortened < 10


def test_every_text_of_a_hostile_feed_is_clean() -> None:
    """Scripts in title, author, category, enclosure and feed title (T9)."""
    evil = "&lt;img src=x onerror=alert(1)&gt;"
    item = (
        f"<title>{evil}t</title><author>{evil}a</author><category>{evil}c</category>"
        f"<comments>javascript:x</comments><enclosure url='data:x' type='{evil}' length='-1'/>"
        f"<guid>{evil}g</guid>"
    )

    document = read(rss(f"<item>{item}</item>", f"<title>{evil}f</title><link>javascript:x</link>"))

    entry = only(document)
    assert document.title == "f"
    assert (entry.title, entry.author) == ("t", "a")
    assert entry.metadata == {"guid": "g", "categories": ["c"]}


PIECES = [
    "<rss>", "<channel>", "<item>", "</item>", "<title>", "</title>", "<guid>7</guid>", "&#0;",
    "&x;", "&", "<![CDATA[", "]]>", '<!DOCTYPE rss [<!ENTITY a "b">]>', "<entry>", "</entry>",
    '<feed xmlns="http://www.w3.org/2005/Atom">', '<link href="x"/>', "{", "}", '"items":[', "é",
    '<content type="xhtml">', '<div xmlns="http://www.w3.org/1999/xhtml">', "<pubDate>1</pubDate>",
    '<?xml version="1.0" encoding="gbk"?>', "<description>", "\x00", "\ud800",
]  # fmt: skip


@given(st.binary(max_size=200) | st.lists(st.sampled_from(PIECES)).map(
    lambda parts: "".join(parts).encode("utf-8", "surrogatepass")
))  # fmt: skip
@example(b"<rss<item<title<</pubDate</title<")
@example(b"<rss><channel><item><title>&#55296;</title></item>")
def test_any_bytes_are_a_feed_or_unreadable(body: bytes) -> None:
    try:
        document = read(body)
    except UnreadableError:
        return

    assert all(entry.title for entry in document.entries)


@pytest.mark.parametrize("name", FORMATS)
def test_a_feed_cut_off_or_torn_anywhere_is_read_without_a_crash(name: str) -> None:
    """Whatever half an entry is left: it is read, or the whole is unreadable."""
    body = FORMATS[name].encode()
    with_entries = 0

    for place in range(len(body)):
        for torn in (body[:place], body[:place] + body[place + 5 :], body[place:]):
            try:
                with_entries += bool(read(torn).entries)
            except UnreadableError:
                continue

    assert with_entries > len(body) // 4
