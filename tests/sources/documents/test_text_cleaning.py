"""Text, links, dates and encodings at the boundary (T30)."""

from __future__ import annotations

import re
import sqlite3
import unicodedata
from datetime import UTC, datetime, timedelta, timezone
from urllib.parse import urlsplit

import pytest
from ada_url import join_url
from hypothesis import given
from hypothesis import strategies as st

from clawfeed.sources.documents.text_cleaning import (
    LONGEST_URL,
    charset_of,
    clamp_date,
    clean_text,
    clean_url,
    decode,
    is_plain_url,
    without_controls,
)
from tests.support.fetcher_contract import is_clean_text
from tests.support.hostile_responses import LINKS, TITLES
from tests.support.hostile_text import odd_texts

NOW = datetime(2026, 11, 1, 12, tzinfo=UTC)
BASE = "https://site.example/blog/feed.xml"


@pytest.mark.parametrize(
    ("raw", "clean"),
    [
        (None, ""),
        ("  two \n\t lines\r\n", "two lines"),
        ("AT&amp;T &eacute;t&#233;", "AT&T été"),
        ("<b>A</b>pple<br>pie", "Apple pie"),
        ("1 < 2 and 3 > 2", "1 < 2 and 3 > 2"),
        ("<script>alert(1)</script>News", "News"),
        ("literal &lt;b&gt;", "literal <b>"),
        ("a\x00b\x1fc\x7fd\x85e", "abcde"),
        ("lone \ud800 surrogate", "lone surrogate"),
        ("e\u0301", "é"),  # composed …
        ("①ﬁ", "①ﬁ"),  # … but not rewritten
        ("photo\u202egpj.exe", "photogpj.exe"),
    ],
)
def test_a_title_is_one_line_of_plain_text(raw: str | None, clean: str) -> None:
    assert clean_text(raw, 100) == clean


@pytest.mark.parametrize("name", TITLES)
def test_a_hostile_title_is_short_and_clean(name: str) -> None:
    """(T29, T30)."""
    clean = clean_text(TITLES[name], 300)

    assert len(clean) <= 300
    assert is_clean_text(clean)


@pytest.mark.parametrize("name", LINKS)
def test_a_hostile_link_is_a_plain_address_of_the_web_or_nothing(name: str) -> None:
    """(T29, T30)."""
    link = clean_url(BASE, LINKS[name])

    assert link is None or urlsplit(link).scheme in {"http", "https"}
    assert is_clean_text(link or "")
    assert "secret" not in (link or "")


def test_a_long_title_ends_with_a_whole_word() -> None:
    assert clean_text("word " * 100, 20) == "word word word word…"
    assert len(clean_text("x" * 1000, 20)) == 20


def test_a_title_of_a_million_angle_brackets_costs_no_time() -> None:
    assert len(clean_text("<a" * 500_000, 300)) <= 300


@given(st.text(alphabet=st.characters(exclude_categories=())), st.integers(10, 200))
def test_any_text_becomes_storable(raw: str, limit: int) -> None:
    clean = clean_text(raw, limit)

    assert len(clean) <= limit
    assert_storable(clean)
    assert_storable(without_controls(raw))
    assert "\n" not in clean


def test_odd_texts_are_stored_and_read_back_unchanged() -> None:
    database = sqlite3.connect(":memory:")

    for raw in odd_texts():
        clean = clean_text(raw, 500)
        assert_storable(clean)
        assert database.execute("SELECT ?", (clean,)).fetchone() == (clean,)

    database.close()


def assert_storable(text: str) -> None:
    """PostgreSQL refuses NUL, SQLite lone surrogates, XML the other controls."""
    assert text.encode("utf-8").decode("utf-8") == text
    assert not any(
        unicodedata.category(c) == "Cc" and ord(c) < 0x80 and c not in "\n\t" for c in text
    )
    assert not set(text) & {"\ufffe", "\uffff"}


@pytest.mark.parametrize(
    ("href", "url"),
    [
        ("/a", "https://site.example/a"),
        ("a?b=1#c", "https://site.example/blog/a?b=1#c"),
        ("//other.example", "https://other.example/"),
        (" HTTP://Other.Example:80/%7Ea/../b ", "http://other.example/b"),
        ("https://müller.example/", "https://xn--mller-kva.example/"),
        ("http://user:secret@other.example/x@y", "http://other.example/x@y"),
        ("javascript:alert(1)", None),
        ("java\nscript:alert(1)", None),
        ("data:text/html,x", None),
        ("file:///etc/passwd", None),
        ("ftp://other.example/", None),
        ("mailto:a@b.example", None),
        ("http://[", None),
        ("http://a b/", None),
        ("\ud800", None),
        ("/" + "x" * LONGEST_URL, None),
    ],
)
def test_a_link_is_absolute_http_or_nothing(href: str, url: str | None) -> None:
    assert clean_url(BASE, href) == url


@given(
    st.sampled_from(["http", "https"]),
    st.text("abxn019-.", max_size=12),
    st.text("abXY092eE_.~?&=+,;!#%:@$*()/-", max_size=20),
)
def test_a_link_taken_for_plain_is_what_a_url_parser_would_make_of_it(
    scheme: str, host: str, path: str
) -> None:
    for url in (f"{scheme}://{host}/{path}", f"{scheme}://{host}.example/{path}"):
        if is_plain_url(url):
            assert join_url(BASE, url) == url


@given(
    st.sampled_from(["a.example", "A.example", "u:p@a.example", "a.example:80", "1.2.3.4", "a.1"]),
    st.text("/ax.?#%2e:@ ", max_size=8),
    st.text('/#.%?&=a2eE:@\\~ \t<"|é', min_size=1, max_size=8),
)
def test_a_link_joined_without_a_parser_is_what_a_parser_would_make_of_it(
    host: str, path: str, href: str
) -> None:
    for base, start in ((f"https://{host}{path}", "/"), (f"https://{host}/{path}", "#")):
        url = clean_url(base, start + href)
        try:
            joined = join_url(base, start + href)
        except ValueError:
            assert url is None
        else:
            assert url is None or url == re.sub("^(https?://)[^/]*@", r"\1", joined)


@given(st.text(max_size=60))
def test_no_link_ever_leaves_http_or_carries_credentials(href: str) -> None:
    url = clean_url("https://user:secret@site.example/feed", href)

    assert url is None or url.startswith(("https://", "http://"))
    assert url is None or "@" not in url.split("/")[2]


@pytest.mark.parametrize(
    ("value", "clamped"),
    [
        (None, None),
        (datetime(1970, 1, 1, tzinfo=UTC), None),
        (datetime(1989, 12, 31, 23, 59, tzinfo=UTC), None),
        (datetime(1990, 1, 1, tzinfo=UTC), datetime(1990, 1, 1, tzinfo=UTC)),
        (datetime(2024, 5, 5, 10), datetime(2024, 5, 5, 10, tzinfo=UTC)),  # noqa: DTZ001 - the case
        (
            datetime(2024, 5, 5, 10, tzinfo=timezone(timedelta(hours=2))),
            datetime(2024, 5, 5, 8, tzinfo=UTC),
        ),
        (NOW + timedelta(days=2), NOW + timedelta(days=2)),
        (NOW + timedelta(days=3), NOW),
        (datetime.max.replace(tzinfo=timezone(timedelta(hours=-14))), None),
        (datetime(9999, 12, 31, tzinfo=UTC), NOW),
    ],
)
def test_dates_stay_between_1990_and_the_day_after_tomorrow(
    value: datetime | None, clamped: datetime | None
) -> None:
    assert clamp_date(value, NOW) == clamped


SAMPLE = "Привет, мир – café"


@pytest.mark.parametrize(
    ("codec", "label", "text"),
    [
        ("gb18030", "gb2312", "中文新闻，人工智能"),
        ("big5", "Big5", "繁體中文"),
        ("shift_jis", "Shift_JIS", "日本語のニュース"),
        ("euc_jp", "EUC-JP", "日本語"),
        ("euc_kr", "euc-kr", "한국어"),
        ("cp1251", "windows-1251", "Привет, мир"),
        ("koi8_r", "KOI8-R", "Привет"),
        ("cp1252", "ISO-8859-1", "café – “quoted”"),
        ("utf-8", "us-ascii", SAMPLE),
        ("utf-8", "x-made-up", SAMPLE),
        ("utf-8", "utf-7", SAMPLE),
        ("utf-8", "utf-16", SAMPLE),
        ("utf-16", "utf-8", SAMPLE),
        ("utf-8-sig", "windows-1251", SAMPLE),
        ("utf-32", "", SAMPLE),
    ],
)
def test_bytes_are_read_in_the_encoding_they_are_in(codec: str, label: str, text: str) -> None:
    assert decode(text.encode(codec), (label,)) == text


def test_one_bad_byte_does_not_turn_the_whole_document_into_another_language() -> None:
    body = ("新闻" * 50).encode()[:-1]

    assert decode(body, ("utf-8",)) == "新闻" * 49 + "新\ufffd"


@given(
    st.binary(), st.sampled_from(["utf-8", "gb2312", "shift_jis", "windows-1252", "rot13", None])
)
def test_any_bytes_can_be_read(body: bytes, label: str | None) -> None:
    assert isinstance(decode(body, (label,)), str)


@pytest.mark.parametrize(
    ("header", "charset"),
    [
        ('text/xml; Charset="GB2312"', "GB2312"),
        ("text/html;charset=utf-8", "utf-8"),
        ("text/html", None),
        ("", None),
    ],
)
def test_the_charset_of_a_content_type(header: str, charset: str | None) -> None:
    assert charset_of(header) == charset
