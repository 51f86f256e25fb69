"""The text of an article on its web page, without menus, comments and what else stands around it.

Trafilatura does it, if it is installed (`clawfeed[fulltext]`). A hostile page may keep
it for long: only ever run it in a parse worker.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, Final

from clawfeed.sources.documents.errors import UnreadableError
from clawfeed.sources.documents.text_cleaning import clean_text
from clawfeed.sources.documents.web_page import page_text

KIND: Final = "article"
# Leads are at the beginning, and a page of more than this is no article.
READ_BYTES: Final = 2_000_000
LONGEST_TEXT: Final = 20_000
# It is read before the worker closes its doors: too short for an extractor, it goes the way through
# all of them, and they load their word lists.
WARM_UP: Final = (
    b"<html><head><title>t</title></head><body><p>One.</p><div>Two.</div></body></html>"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ArticleDocument:
    """Plain text, one line for each paragraph; empty if the page has none to speak of."""

    text: str = ""


def is_available() -> bool:
    """Whether what reads articles is installed."""
    return find_spec("trafilatura") is not None and find_spec("lxml_html_clean") is not None


def documents() -> dict[str, str]:
    """What `ParseConfig.documents` needs so that workers read articles; empty if nobody can."""
    return {KIND: "clawfeed.sources.documents.article:parse_article"} if is_available() else {}


def parse_article(body: bytes, options: Mapping[str, Any]) -> ArticleDocument:
    """The article in the page *body*; `UnreadableError` if it cannot be taken apart."""
    from trafilatura import extract

    html = page_text(body[:READ_BYTES], options["content_type"])
    try:
        found = extract(
            html, include_comments=False, include_tables=False, favor_precision=True, fast=False
        )
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        raise UnreadableError("the page's text cannot be told from the rest") from error
    lines = (clean_text(line, LONGEST_TEXT) for line in (found or "")[:LONGEST_TEXT].splitlines())
    return ArticleDocument(text="\n".join(line for line in lines if line))
