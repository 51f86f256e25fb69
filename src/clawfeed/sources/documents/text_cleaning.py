"""Text, links, dates and encodings as the rest of the house may rely on them (T30).

All that strangers wrote passes here once: no NUL, no lone surrogate, no odd scheme, no year 9999.
"""

from __future__ import annotations

import codecs
import re
import unicodedata
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Final

from ada_url import join_url

from clawfeed.domain.html_entities import unescape

# Longer links are trackers or attacks; the key hashes everything over 1,024 anyway.
LONGEST_URL: Final = 4096
EARLIEST_DATE: Final = datetime(1990, 1, 1, tzinfo=UTC)
# Clocks and time zones are wrong by a day; by more, somebody wants to be on top for ever.
FURTHEST_AHEAD: Final = timedelta(days=2)

# Tags that part words; the others ("<b>A</b>pple") do not. `[^<>]` keeps a run of "<a<a<a" linear.
_BREAKS = re.compile(
    r"</?(?:br|p|div|li|ul|ol|tr|td|th|table|h[1-6]|blockquote|hr)\b[^<>]*>", re.IGNORECASE
)
_HIDDEN = re.compile(r"<(script|style)\b[^<>]*>[^<]*(?:</\1\s*>)?", re.IGNORECASE)
_TAGS = re.compile(r"<!--[^<>]*-->|<[/!?]?[a-zA-Z][^<>]*>")
# Controls, lone surrogates, the two non-characters XML forbids, and the marks that turn text around
# (U+202E shows "exe.gpj" as "jpg.exe", and the rest of our page with it).
_UNWANTED = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u202a-\u202e\u2066-\u2069\ufffe\uffff]"
)
_CONTROL_BYTES = bytes(c for c in range(32) if c not in {9, 10}) + b"\x7f"


def clean_text(value: str | None, limit: int) -> str:
    """One line of plain text, at most *limit* characters: a title, an author, a category.

    Tags are stripped, entities decoded once, spaces collapsed, Unicode composed (NFC: "①" stays).
    The result is text, not HTML: whoever shows it escapes it.
    """
    if not value:
        return ""
    # The patterns below never see more than a title can need, however long the "title" is.
    text = value[: 16 * limit + 1024]
    if "<" in text:
        text = _TAGS.sub("", _BREAKS.sub(" ", _HIDDEN.sub(" ", text)))
    if "&" in text:
        text = unescape(text)
    if not text.isascii() or not text.isprintable():
        text = unicodedata.normalize("NFC", _UNWANTED.sub("", text.replace("\r", "\n")))
    return shorten(" ".join(text.split()), limit)


def shorten(text: str, limit: int) -> str:
    """*text*, or its beginning up to the last whole word before *limit*, with an ellipsis."""
    if len(text) <= limit:
        return text
    head = text[:limit].rpartition(" ")[0]
    return (head if len(head) > limit // 2 else text[: limit - 1]).rstrip() + "…"


def without_controls(value: str) -> str:
    """Text that a database, JSON and XML all accept; line breaks and tabs stay."""
    # Looking is a tenth of replacing, and hardly a text has any.
    if not value.isascii() and ("\ufffe" in value or "\uffff" in value):
        value = value.replace("\ufffe", "").replace("\uffff", "")
    try:
        raw = value.encode()
    except UnicodeEncodeError:  # lone surrogates
        return without_controls(value.encode("utf-8", "ignore").decode())
    clean = raw.translate(None, _CONTROL_BYTES)
    return value if len(clean) == len(raw) else clean.decode()


_PLAIN_URL = re.compile(
    r"https?://(?:(?!xn--)[a-z0-9-]++\.)++(?!xn--)[a-z][a-z0-9-]*+"
    r"/[A-Za-z0-9_.~?&=+,;!#%:@$*()/-]*+"
)


def is_plain_url(value: str) -> bool:
    """Whether it is normalised already, as every parser agrees.

    Most links are, and this is a tenth of the price of reading them. Left to the parser: dot
    segments, ports, punycode, hosts that may be numbers, quotes and the like.
    """
    return (
        _PLAIN_URL.fullmatch(value) is not None
        and "/." not in value
        and ("%" not in value or "/%2" not in value)
    )


def clean_url(base: str, href: str) -> str | None:
    """*href* as an absolute, normalised http(s) URL, read against *base*; None if it is not one.

    Credentials are left out: they belong to the fetch, never to a link people see.
    """
    if len(href) > LONGEST_URL:
        return None
    return href if is_plain_url(href) else _joined(base, href)


@lru_cache(maxsize=4096)
def _joined(base: str, href: str) -> str | None:
    if simple := _simply_joined(base, href):
        return simple
    try:
        url = join_url(base, href)
    except ValueError:
        return None
    if not url.startswith(("https://", "http://")) or len(url) > LONGEST_URL:
        return None
    scheme, _, rest = url.partition("//")
    # ada-url has normalised: the authority ends at the first "/", and "@" in it ends the userinfo.
    authority, slash, path = rest.partition("/")
    return f"{scheme}//{authority.rpartition('@')[2]}{slash}{path}" if "@" in authority else url


def _simply_joined(base: str, href: str) -> str | None:
    """A place on the page or the host of *base*, or a host, if no parser is needed; else None.

    Most of the links in real feeds that are not plain themselves are such. What comes out is plain:
    so was the part of *base* that is in it.
    """
    url = ""
    if href.startswith("#"):
        url = base.partition("#")[0] + href
    elif href.startswith("/") and not href.startswith("//"):
        url = "/".join((*base.split("/", 3)[:3], href[1:]))
    elif href.startswith("http") and href.count("/") == 2:  # a host alone
        url = f"{href}/"
    return url if url and len(url) <= LONGEST_URL and is_plain_url(url) else None


def clamp_date(value: datetime | None, now: datetime) -> datetime | None:
    """An aware UTC date between 1990 and *now* + 2 days, or None.

    Older is None (an epoch zero is "unknown", not 1970). Further ahead becomes *now*: the item is
    real, its date is not, and it must not stay on top until the year 9999. Naive means UTC.
    """
    if value is None:
        return None
    try:
        date = value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)
    except (OverflowError, ValueError):
        return None
    if date < EARLIEST_DATE:
        return None
    return date if date <= now + FURTHEST_AHEAD else now


# WHATWG's reading of the labels people write; what is not here (UTF-7, rot13, …) is not believed.
# UTF-16 and -32 are told by their bytes: a label we could read as ASCII cannot be right.
_CODECS: Final = {
    **{f"{p}{n}": f"cp{n}" for p in ("windows-", "cp", "x-cp") for n in range(1250, 1259)},
    **{f"iso-8859-{n}": f"iso8859_{n}" for n in (2, 3, 4, 5, 6, 7, 8, 10, 13, 14, 15, 16)},
    **dict.fromkeys(("utf-8", "utf8", "unicode-1-1-utf-8"), "utf-8"),
    **dict.fromkeys(("iso-8859-1", "iso8859-1", "latin1", "latin-1", "l1"), "cp1252"),
    **dict.fromkeys(("iso-8859-9", "latin5"), "cp1254"),
    **dict.fromkeys(("iso-8859-11", "tis-620", "windows-874"), "cp874"),
    **dict.fromkeys(("gb2312", "gbk", "gb18030", "x-gbk", "cp936", "gb_2312-80"), "gb18030"),
    **dict.fromkeys(("big5", "big5-hkscs", "cn-big5", "x-x-big5", "cp950"), "big5hkscs"),
    **dict.fromkeys(("shift_jis", "shift-jis", "sjis", "x-sjis", "windows-31j", "cp932"), "cp932"),
    **dict.fromkeys(("euc-jp", "x-euc-jp"), "euc_jp"),
    **dict.fromkeys(("iso-2022-jp",), "iso2022_jp"),
    **dict.fromkeys(("euc-kr", "ks_c_5601-1987", "cp949", "windows-949"), "cp949"),
    **dict.fromkeys(("koi8-r", "koi8"), "koi8_r"),
    **dict.fromkeys(("koi8-u",), "koi8_u"),
    **dict.fromkeys(("macintosh", "x-mac-roman"), "mac_roman"),
    **dict.fromkeys(("x-mac-cyrillic",), "mac_cyrillic"),
    **dict.fromkeys(("ibm866", "cp866"), "cp866"),
}
_MARKS: Final = (  # longest first: UTF-32's mark begins with UTF-16's
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
    (b"<\0\0\0", "utf-32-le"),
    (b"\0\0\0<", "utf-32-be"),
    (b"<\0", "utf-16-le"),
    (b"\0<", "utf-16-be"),
)
_CHARSET = re.compile(r"charset\s*=\s*[\"']?\s*([\w.:-]{1,40})", re.IGNORECASE)


def charset_of(content_type: str) -> str | None:
    """The charset a Content-Type names, whatever it is worth."""
    found = _CHARSET.search(content_type[:512])
    return found[1] if found else None


def decode(body: bytes, declared: Iterable[str | None]) -> str:
    """The body as text, whatever it claims; never raises.

    A byte order mark decides; then the first *declared* encoding that fits, then UTF-8, and at
    last a guess with replacement characters for what does not fit.
    """
    for mark, codec in _MARKS:
        if body.startswith(mark):
            return body.decode(codec, "replace").lstrip("\ufeff")
    known = _known_codecs(declared)
    for codec in (*known, "utf-8"):
        try:
            return body.decode(codec)
        except UnicodeDecodeError:
            continue
    if _is_mostly_utf8(body):
        return body.decode("utf-8", "replace")
    return body.decode(next((codec for codec in known if codec != "utf-8"), "cp1252"), "replace")


def to_utf8(body: bytes, declared: Iterable[str | None]) -> bytes:
    """The text of the body (`decode`) as UTF-8: most often the very same bytes."""
    labels = tuple(declared)
    first = next(iter(_known_codecs(labels)), "utf-8")
    if first == "utf-8" and not body.startswith(tuple(mark for mark, _ in _MARKS)):
        try:
            body.decode()
        except UnicodeDecodeError:
            pass
        else:
            return body
    return decode(body, labels).encode("utf-8", "ignore")


def _known_codecs(declared: Iterable[str | None]) -> list[str]:
    return [_CODECS[label.lower()] for label in declared if label and label.lower() in _CODECS]


def _is_mostly_utf8(body: bytes) -> bool:
    """Whether a few bad bytes (a cut in the middle of a character) spoil what else is UTF-8."""
    text = body.decode("utf-8", "replace")
    foreign = len(text) - len(text.encode("ascii", "ignore"))
    return text.count("\ufffd") * 4 <= foreign


def load_codecs() -> None:
    """Load every codec now, for a process that may not open files later."""
    for codec in {*_CODECS.values(), *(name for _, name in _MARKS)}:
        codecs.lookup(codec)
