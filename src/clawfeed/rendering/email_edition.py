"""What an e-mail says: an edition or a short word, as HTML and as plain text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

from clawfeed.domain.editions.digest import DigestContent
from clawfeed.domain.wording.because_wording import Language
from clawfeed.rendering.edition_view import view_of
from clawfeed.rendering.inline_styled_html import (
    InlineStyles,
    anchor,
    element,
    foreign,
    inline_styled_html,
)
from clawfeed.rendering.plain_text import LETTER, render_text
from clawfeed.rendering.safe_text import one_line, safe_link
from clawfeed.rendering.text_width import wrapped
from clawfeed.rendering.wording import wording_of

# Mailboxes show some 70 characters of it.
LONGEST_SUBJECT: Final = 200
# No colour but a grey that reads as well on black as on white (4.6 to 1): every other one is the
# program's own, which knows whether it is night.
_SMALL_PRINT: Final = "margin:0 0 16px;font-size:14px;color:#757575"
_STYLES: Final = InlineStyles(
    title="margin:0 0 8px;font-size:24px;line-height:1.25",
    section="margin:32px 0 8px;font-size:18px",
    headline="margin:20px 0 4px;font-size:16px",
    text="margin:0 0 8px",
    small=_SMALL_PRINT,
)
_BODY: Final = (
    "margin:0 auto;padding:16px;max-width:640px;font-family:system-ui,-apple-system,'Segoe UI',"
    "Roboto,Helvetica,Arial,sans-serif;font-size:16px;line-height:1.5;overflow-wrap:anywhere"
)
# Else a program that turns colours around at night does so with what fits already.
_AT_NIGHT: Final = '<meta name="color-scheme" content="light dark">'


@dataclass(frozen=True, slots=True, kw_only=True)
class EmailBody:
    """What is the same for all who get it; *html* is what stands inside a document's body."""

    subject: str
    text: str
    html: str
    language: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Words:
    read_here: str
    unsubscribe: str


_WORDS: Final[Mapping[Language, _Words]] = {
    Language.ENGLISH: _Words(read_here="Read it on the web", unsubscribe="Stop these e-mails"),
    Language.CHINESE: _Words(read_here="在网页上阅读", unsubscribe="停止接收这些邮件"),
}


def edition_email(content: DigestContent, link: str) -> EmailBody:
    """The edition with a *link* to its page."""
    view, words = view_of(content), _words(content.language)
    html = [inline_styled_html(view, _STYLES), *_linked(words.read_here, link)]
    text = [render_text(content), *_addressed(words.read_here, link)]
    return EmailBody(
        subject=_subject(view.title or view.covers),
        text="\n".join(text),
        html="\n".join(html),
        language=view.language,
    )


def notice_email(title: str, lines: Sequence[str], link: str, language: str) -> EmailBody:
    """A few lines, each a text."""
    said = [one_line(each) for each in lines]
    html = [element("p", _STYLES.text, foreign(each)) for each in said]
    text = [line for each in said for line in wrapped(each, LETTER)]
    words = _words(language)
    return EmailBody(
        subject=_subject(one_line(title)),
        text="\n".join([*text, "", *_addressed(words.read_here, link)]),
        html="\n".join(
            [
                element("h1", _STYLES.title, foreign(one_line(title))),
                *html,
                *_linked(words.read_here, link),
            ]
        ),
        language=str(wording_of(language).language),
    )


def html_document(body: EmailBody, unsubscribe: str) -> str:
    """The HTML part, whole. *unsubscribe* is where one click ends it."""
    return "\n".join(
        [
            "<!doctype html>",
            f'<html lang="{escape(body.language)}">',
            '<head><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"{_AT_NIGHT}<title>{escape(body.subject)}</title></head>",
            f'<body style="{_BODY}">',
            body.html,
            *_linked(_words(body.language).unsubscribe, unsubscribe),
            "</body>",
            "</html>",
            "",
        ]
    )


def text_document(body: EmailBody, unsubscribe: str) -> str:
    """The text part, whole."""
    lines = [body.text, *_addressed(_words(body.language).unsubscribe, unsubscribe)]
    return "\n".join(lines) + "\n"


def _words(language: str) -> _Words:
    return _WORDS[wording_of(language).language]


def _subject(text: str) -> str:
    if len(text) <= LONGEST_SUBJECT:
        return text
    return text[: LONGEST_SUBJECT - 1].rstrip() + "…"


def _linked(label: str, link: str) -> list[str]:
    safe = safe_link(link)
    return [element("p", _SMALL_PRINT, anchor(escape(label), safe))] if safe else []


def _addressed(label: str, link: str) -> list[str]:
    safe = safe_link(link)
    return [f"{label}:", safe, ""] if safe else []
