"""Texts that want to be more than text: another header, another site, another page (T11, T23)."""

from __future__ import annotations

import unicodedata
from itertools import product

# What some reader of headers somewhere takes for the end of a line, plain or in disguise.
LINE_ENDS = (
    "\r\n", "\n", "\r", "\n\n", "\r\n ", "\x00", "\x0b", "\x0c", "\x1c", "\x85", "\u2028", "\u2029",
    "%0d%0a", "%0A", "%E2%80%A8", "\\r\\n", "&#13;&#10;", "\u560d\u560a",
)  # fmt: skip
_INJECTED = (
    "anna{}Bcc: eve@evil.example",
    "anna@example.org{}Bcc: eve@evil.example",
    '"anna{}"@example.org',
    "anna@example.org>{}RCPT TO:<eve@evil.example",
    "Anna{0}Subject: won{0}{0}<p>body",
)
# Neither one address nor one line, although no line ends in them.
_CROWDS = (
    "anna@example.org, eve@evil.example",
    "anna@example.org;eve@evil.example",
    "anna@example.org eve@evil.example",
    "Anna <anna@example.org>, <eve@evil.example>",
    "=?utf-8?q?anna=0d=0aBcc:_eve=40evil.example?=",
    "=?utf-8?b?DQpCY2M6IGVAZXZpbC5leGFtcGxl?=",
    "anna@[127.0.0.1]",
    "anna@xn--",
    "a" * 5000 + "@example.org",
    "Subject: " + "long " * 2000,
)


def header_injections() -> list[str]:
    """Names and addresses that would be lines of their own in a letter."""
    return [frame.format(end) for frame, end in product(_INJECTED, LINE_ENDS)] + list(_CROWDS)


# What stands before a host and makes some browser leave ours for it.
_WAYS_OUT = (
    "//", "///", "////", "/\\", "\\\\", "\\/", "/\\/", "/%2f/", "/%5c/", "http:/", "http://",
    "https:///", "HTTPS:", "//\t", "/\t/", "/\n//", "/\r/", "/ /", " //", "\x00//", "/..//",
    "/.//", "/./\\", "/a/..//", "//user@", "http://feeds.example@", "http://feeds.example\\@",
    "javascript:location='//'+'", "JaVa\tScRiPt:alert(1)//", "data:text/html,//", "vbscript:",
    "ftp://", "blob:https://", "feeds.example.", "feeds.example:80@", "?next=//", "#//",
    "/login?next=//", "/logout?", "/setup/", "/LOGIN/", "%0d%0aLocation:%20//",
    "/%0d%0aLocation:%20", "/\u2028//",
)  # fmt: skip
_HOSTS = ("evil.example", "evil%2eexample", "evil\u3002example", "0x5db8d822", "[::ffff:5db8:d822]")


def redirects_away() -> list[str]:
    """Values of `?next=` of which none is a page of ours."""
    return [way + host for way, host in product(_WAYS_OUT, _HOSTS)]


def odd_texts() -> list[str]:
    """One text for every kind of character there is, and for what other programs trip over."""
    kinds: dict[str, list[str]] = {}
    for number in range(0x20000):  # beyond it no kind begins, and each has forty before
        found = kinds.setdefault(unicodedata.category(chr(number)), [])
        if len(found) < 40:
            found.append(chr(number))
    words = [f"a{''.join(characters)}z" for characters in kinds.values()]
    return [*words, *_TRIPS, *("".join(pair) for pair in product(_TRIPS, repeat=2))]


_TRIPS = (
    "", " ", "null", "undefined", "NaN", "0", "-1", "1e999", "0x0", "true", "\\", "\\u0000", "%s%n",
    "{0}", "${x}", "{{7*7}}", "'; DROP TABLE sources; --", '" OR ""="', "`id`", "$(id)", "../../x",
    "\ufeffmark", "\u202eturned", "e\u0301\u0302\u0303\u0304" * 20, "👩\u200d👩\u200d👧", "🇨🇳🇩🇪",
    "\ud83d", "\x00", "\x1b[2J", "\ufffe\uffff", "ﷺ" * 30, "田中さん", "Ω≈ç√∫", "ﬀ①Ⅷ", "İıſß",
)  # fmt: skip


def markup_texts() -> list[str]:
    """Titles that are markup somewhere: in Markdown, HTML, templates, on terminals."""
    return list(_MARKUP)


_MARKUP = (
    "# heading", "## 2", "#tag", "- item", "+ item", "* item", "1. item", "12) item", "> quote",
    "---", "===", "```", "~~~", "`code`", "``a`b``", "*bold* _it_ __x__ ~~gone~~",
    "[x](http://evil.example)", "![x](http://evil.example/p.png)", "[x][1]",
    "[x]: http://evil.example", "<http://evil.example>", "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>", "<!-- -->", "</article></main>", "a\\", "\\*a", "&amp;",
    "&lt;b&gt;", "&#60;b&#62;", "&copy;", "@anna and @org/team", "#1 GH-1", "${{ secrets.TOKEN }}",
    "{{ site.x }}", "{% include x %}", "| a | b |", "$x$ $$y$$", "a  ", "    code", "\tcode",
    "www.evil.example", "https://evil.example/", "eve@evil.example", ":smile:", "[^1]",
    "- [x] done", "\u202eturned", "\u2066isolated", "zero\u200bwidth", "\u200f# rtl",
    "\u05e9\u05dc\u05d5\u05dd # x", "a\u00adb", "\ufeff# bom", "\u00a0# nbsp", "\u3000# wide",
    "\x1b[31mred\x1b]0;title\x07", "line\n# two", "line\r\n\r\n- two", "line\u2028# two",
    "x" * 500, "“quoted”", "'\"", "1986. A year", "2026-11-15", "100 % sure", "a:b",
    "C# and C++ - R&D", "]]>", "?>",
)  # fmt: skip
