"""Documents that want a parser to read files, call somebody, or never end (T7, T8, T30)."""

from __future__ import annotations

import codecs
import json
from html import escape

from tests.support.hostile_html import EVIL

A_FILE = "/etc/passwd"
# How that file begins everywhere.
SECRET = "root:"  # noqa: S105 -- nobody's


def documents(canary: str) -> dict[str, bytes]:
    """Hostile documents by what is wrong with them; those that call would call *canary*."""
    return {
        **{name: text.encode() for name, text in {**_entities(canary), **_values()}.items()},
        **_encodings(canary),
        **_remains(),
    }


def feed(item: str, before: str = "") -> str:
    head = f'<?xml version="1.0" encoding="utf-8"?>{before}<rss version="2.0"><channel>'
    return f"{head}<title>News</title><item><title>One</title>{item}</item></channel></rss>"


def opml_with_entity(canary: str) -> str:
    entities = f'<!ENTITY x SYSTEM "file://{A_FILE}"><!ENTITY y SYSTEM "{canary}">'
    outline = f'<outline text="&x;&y;" xmlUrl="{canary}"/>'
    return f"<!DOCTYPE opml [{entities}]><opml><body>{outline}</body></opml>"


def lists(canary: str) -> dict[str, bytes]:
    """OPML that declares what `documents` declares and uses it, or has their values as its own."""
    declared = {
        name: text.partition("?>")[2].partition("<rss")[0]
        for name, text in _entities(canary).items()
        if "<rss" in text
    }
    used = '<outline text="&x;" xmlUrl="https://a.example/&x;"/>'
    inside = f'<!DOCTYPE opml [<!ENTITY x "{SECRET}">]>'
    included = f'<xi:include xmlns:xi="urn:x" href="file://{A_FILE}" parse="text"/>'
    return {
        **{name: _list(used, before).encode() for name, before in declared.items()},
        "an entity of its own": _list(used, inside).encode(),
        "an entity of its own in UTF-16": _list(used, inside).encode("utf-16"),
        "an inclusion in a list": _list(included + _outline("A")).encode(),
        **{f"{name} in a list": _list(_outline(text)).encode() for name, text in _values().items()},
    }


def _list(body: str, before: str = "") -> str:
    return f'<?xml version="1.0"?>{before}<opml version="2.0"><body>{body}</body></opml>'


def _outline(text: str) -> str:
    value = escape(text)
    return f'<outline text="{value}" xmlUrl="https://a.example/{value}"/>'


def nested_opml(depth: int) -> bytes:
    opened = b'<outline text="deeper">' * depth
    return b"<opml><body>" + opened + b"</outline>" * depth + b"</body></opml>"


def _doctype(inside: str) -> str:
    return f"<!DOCTYPE rss [{inside}]>"


def _entities(canary: str) -> dict[str, str]:
    used = "<description>&x;</description>"
    laughs = '<!ENTITY x0 "ha">' + "".join(
        f'<!ENTITY x{n} "{f"&x{n - 1};" * 10}">' for n in range(1, 12)
    )
    xi = 'xmlns:xi="http://www.w3.org/2001/XInclude"'
    return {
        "a file": feed(used, _doctype(f'<!ENTITY x SYSTEM "file://{A_FILE}">')),
        "a file by path": feed(used, _doctype(f'<!ENTITY x SYSTEM "{A_FILE}">')),
        "an address": feed(used, _doctype(f'<!ENTITY x SYSTEM "{canary}">')),
        "a public name": feed(used, _doctype(f'<!ENTITY x PUBLIC "-//X//Y" "{canary}">')),
        "a parameter": feed(used, _doctype(f'<!ENTITY % p SYSTEM "{canary}"> %p;')),
        "a foreign DTD": feed(used, f'<!DOCTYPE rss SYSTEM "{canary}">'),
        "laughs": feed("<description>&x11;</description>", _doctype(laughs)),
        "laughs in an attribute": feed('<enclosure url="&x11;"/>', _doctype(laughs)),
        "one long entity often": feed(
            f"<description>{'&x;' * 20_000}</description>",
            _doctype(f'<!ENTITY x "{"y" * 20_000}">'),
        ),
        "a loop": feed(used, _doctype('<!ENTITY x "&y;"><!ENTITY y "&x;">')),
        "an inclusion": feed(f'<xi:include {xi} href="file://{A_FILE}" parse="text"/>'),
        "an inclusion from afar": feed(f'<xi:include {xi} href="{canary}"/>'),
        "a style sheet": feed("", f'<?xml-stylesheet type="text/xsl" href="{canary}"?>'),
        "a schema": feed(f'<x xsi:schemaLocation="a {canary}" xmlns:xsi="urn:x"/>'),
        "a list with an entity": opml_with_entity(canary),
    }


def _values() -> dict[str, str]:
    links = ["javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "//x", "http://[", ""]
    dates = ["Fri, 31 Dec 9999 23:59:59 GMT", "-0001-01-01", "0", "9" * 400, "yesterday", "24:61"]
    return {
        "scripts": feed(f"<title>{_escaped()}</title><description>{_escaped()}</description>"),
        "scripts in XHTML": '<feed xmlns="http://www.w3.org/2005/Atom"><entry><title>t</title>'
        '<content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><script>1</script>'
        "<svg><script>2</script></svg></div></content></entry></feed>",
        "templates": feed("<title>{{7*7}} ${7*7} &lt;%= 7*7 %&gt; {% raw %}</title>"),
        "links": feed("</item>".join(f"<item><link>{link}</link>" for link in links)),
        "dates": feed("</item>".join(f"<item><pubDate>{date}</pubDate>" for date in dates)),
        "a long guid": feed(f"<guid>{'g' * 70_000}</guid>"),
        "one guid for all": feed("</item>".join("<item><guid/>" for _ in range(20))),
        "no character": feed("<description>a&#0;b&#xD800;c&#x110000;</description>"),
        "JSON": json.dumps({"error": "no feed"}),
        "JSON of a feed": json.dumps(
            {"version": "https://jsonfeed.org/version/1.1", "items": [{"id": {}, "url": links[0]}]}
        ),
        "deep JSON": '{"version": "https://jsonfeed.org/version/1", "items": ' + "[" * 50_000,
        "a page": "<!DOCTYPE html><html><body>Log in</body></html>",
    }


def _escaped() -> str:
    return EVIL.replace("<", "&lt;")


def _encodings(canary: str) -> dict[str, bytes]:
    entity = _entities(canary)["a file"].replace("utf-8", "utf-16")
    words = feed("<description>Grüße</description>")
    return {
        "a file in UTF-16": entity.encode("utf-16"),
        "a file in UTF-16, turned": codecs.BOM_UTF16_BE + entity.encode("utf-16-be"),
        "a list with an entity in UTF-16": opml_with_entity(canary).encode("utf-16"),
        "a file in UTF-7": words.replace("utf-8", "utf-7").encode("utf-7"),
        "Latin-1 that says UTF-8": words.encode("latin-1"),
        "UTF-8 that says ASCII": words.replace("utf-8", "us-ascii").encode(),
        "an encoding that is none": words.replace("utf-8", "x-\u00fc").encode(),
        "two marks": codecs.BOM_UTF8 * 2 + words.encode(),
        "half a character": words.replace("ü", "\ud800").encode("utf-8", "surrogatepass"),
        "NUL bytes": words.replace("ü", "\x00").encode(),
        "controls": words.replace("ü", "\x07\x1b[2J\x0b").encode(),
    }


def _remains() -> dict[str, bytes]:
    words = feed("<description><![CDATA[<p>Some</p>]]></description>").encode()
    return {
        "nothing": b"",
        "a mark alone": codecs.BOM_UTF8,
        "white space": b"\r\n\t ",
        "words before": b"Warning: line 7\n" + words,
        "words after": words + b"<!-- 3 ms --></rss>junk",
        "cut in an item": words[: words.index(b"One") + 1],
        "cut in CDATA": words[: words.index(b"Some")],
        "deep outlines": nested_opml(5000),
    }


def bombs() -> dict[str, bytes]:
    """Small to send, long to read."""
    return {
        "attributes": b"<rss " + b" ".join(b'a%d="x"' % n for n in range(30_000)) + b"/>",
        "comments": b"<!--" + b"-- >" * 50_000,
        "unclosed elements": b"<rss>" + b"<b>" * 150_000,
        "one long word": b"<rss><channel><title>" + b"x" * 4_000_000,
        "deep HTML": b"<div>" * 150_000,
        "items": b"<rss><channel>" + b"<item><title>t</title></item>" * 80_000,
        "a long title": b"<rss><channel><item><title>" + b"&amp;<b>" * 200_000,
    }
