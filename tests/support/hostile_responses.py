"""What the world may send a fetcher: refusals, silence, nonsense and malice, as tables."""

from __future__ import annotations

from dataclasses import dataclass

from clawfeed.domain.errors import Reason
from clawfeed.domain.ids import JsonValue
from clawfeed.simulator import Fault


@dataclass(frozen=True, slots=True, kw_only=True)
class Post:
    """One published thing, to be written into a document of the fetcher's own format."""

    title: str = "A plain title"
    url: str = "https://news.example/1"
    author: str = "Ann"
    content: str = "<p>Words.</p>"
    published: JsonValue = 1763200000


STATUSES = [
    (401, Reason.AUTH_REQUIRED),
    (403, Reason.REFUSED),
    (404, Reason.GONE),
    (410, Reason.GONE),
    (429, Reason.BUSY),
    (500, Reason.BROKEN),
    (503, Reason.BUSY),
]
SILENCES = [Fault.SLOW_FIRST_BYTE, Fault.NEVER_CLOSE, Fault.HEADER_DRIP, Fault.BODY_DRIP]
FLOODS = [Fault.INFINITE_BODY, Fault.GZIP_BOMB]
BROKEN_HTTP = [Fault.GARBAGE, Fault.RESET, Fault.TRUNCATED, Fault.HEADER_FLOOD, Fault.REDIRECT_LOOP]

NONSENSE: dict[str, bytes] = {
    "a page": b"<!DOCTYPE html><html><body><p>Please enable JavaScript.</p></body></html>",
    "nothing": b"",
    "white space": b" \n\t ",
    "half JSON": b'{"data": [{"title": "cut o',
    "half XML": b"<rss><channel><item><title>cut o",
    "noise": bytes(range(256)) * 4,
    "deep JSON": b"[" * 200_000,
    "deep objects": b'{"data":' * 100_000 + b"1" + b"}" * 100_000,
    "a huge number": b"9" * 100_000,
}
SHAPES: dict[str, object] = {
    "null": None,
    "a number": 42,
    "a text": "hello",
    "true": True,
    "an empty list": [],
    "an empty object": {},
    "a list of nulls": [None, None],
    "a list of lists": [[], [[]], [1]],
    "numbers as texts": ["1", "2.5", "x"],
    "huge numbers": [10**30, -1, 0, 1.5],
    "a list of objects": [{"id": {}, "title": [], "url": 7, "author": {"name": 1}, "time": {}}],
    "nested nulls": {"data": None, "items": None, "kind": None},
    "an object where a list belongs": {"data": {"children": {}, "items": {"a": 1}}},
    "children of all sorts": {"data": {"children": [None, 1, [], {"kind": "t3"}, {"data": 1}]}},
    "posts of all sorts": {"data": {"children": [{"kind": "t3", "data": {"title": 1, "ups": []}}]}},
    "items of all sorts": {"data": {"items": [None, 1, [], {}, {"headline": 5, "link": []}]}},
    "types of the wrong kind": {"type": [], "title": {}, "score": "many", "time": "noon", "by": 3},
}
TITLES: dict[str, str] = {
    "NUL": "before\x00after",
    "a lone surrogate": "half an emoji \ud83d here",
    "controls": "bell\x07 escape\x1b[31mred\x1b[0m return\r\nnext\x85line",
    "turned around": "annex\u202egpj.exe \u2066hidden\u2069",
    "a megabyte": "word " * 200_000,
    "a megabyte of tags": "<b>" * 300_000,
    "markup": "<script>alert(1)</script><b>bold</b> &lt;i&gt; &#0; &amp;amp;",
    "nothing": "",
    "white space": " \u3000\u200b\n ",
    "non-characters": "\ufffe\uffff text",
}
LINKS: dict[str, str] = {
    "script": "javascript:alert(1)",
    "hidden script": " \x01java\nscript:alert(1)",
    "data": "data:text/html,<script>alert(1)</script>",
    "file": "file:///etc/passwd",
    "another scheme's relative": "//evil.example/x",
    "backslashes": "\\\\evil.example\\x",
    "credentials": "https://user:secret@news.example/1",
    "no host": "http://",
    "a relative path": "../a b?c#d",
    "a very long one": "https://news.example/" + "a" * 100_000,
    "NUL and surrogates": "https://news.example/\x00\ud800",
    "nothing": "",
}
DATES: dict[str, JsonValue] = {
    "the year 9999": 253402300799,
    "before the epoch": -(10**9),
    "zero": 0,
    "beyond all calendars": 10**18,
    "a fraction": 1763200000.75,
    "milliseconds": 1763200000000,
    "as text": "1763200000",
    "ISO of the year 9999": "9999-12-31T23:59:59+14:00",
    "words": "yesterday",
    "an object": {"at": "noon"},
    "nothing": None,
}
CONTENTS: dict[str, str] = {
    "script": "<p onclick=x>Hi<script>alert(1)</script><a href='javascript:x'>y</a></p>",
    "NUL and surrogates": "<p>a\x00b\ud800c</p>",
    "deep": "<div>" * 10_000,
}
HOSTILE: dict[str, Post] = {
    **{f"title: {name}": Post(title=text) for name, text in TITLES.items()},
    **{f"link: {name}": Post(url=text) for name, text in LINKS.items()},
    **{f"date: {name}": Post(published=value) for name, value in DATES.items()},
    **{f"content: {name}": Post(content=text) for name, text in CONTENTS.items()},
    **{f"author: {name}": Post(author=text) for name, text in TITLES.items()},
}
# The same in every place of one post: what passes through a fetcher at all passes in these. Each
# value by itself is tried where the cleaning is.
WORST: dict[str, Post] = {
    "markup": Post(
        title=TITLES["markup"],
        url=LINKS["hidden script"],
        author=TITLES["turned around"],
        content=CONTENTS["script"],
        published=DATES["words"],
    ),
    "what cannot be stored": Post(
        title=TITLES["NUL"] + TITLES["a lone surrogate"] + TITLES["controls"],
        url=LINKS["NUL and surrogates"],
        author=TITLES["non-characters"],
        content=CONTENTS["NUL and surrogates"],
        published=DATES["beyond all calendars"],
    ),
}
# What a person or a script may put where one value belongs.
ODD_VALUES: list[JsonValue] = [
    True,
    -1,
    10**12,
    1.5,
    "",
    "x" * 10_000,
    "a\x00b\ud800",
    "../..",
    [],
    [f"value-{n}" for n in range(300)],
    {},
    {f"key-{n}": n for n in range(300)},
]
