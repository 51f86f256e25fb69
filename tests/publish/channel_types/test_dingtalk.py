"""DingTalk's Markdown, read by somebody else's CommonMark."""

from __future__ import annotations

import json

from markdown_it import MarkdownIt

from clawfeed.rendering.safe_text import one_line
from tests.publish.webhook_services import PAGE, payloads
from tests.support.digests import a_story, an_edition, told_by
from tests.support.hostile_text import markup_texts
from tests.support.html_pages import HtmlPage

COMMONMARK = MarkdownIt("commonmark")


def test_headlines_and_links_are_the_same_to_a_commonmark_reader() -> None:
    """T21: the text it is, and no link but ours."""
    for text in filter(one_line, markup_texts()):
        source = told_by(1, text, text, url="https://news.example/a_(b)_c*d")
        [payload] = payloads("dingtalk", an_edition(a_story(text, sources=(source,))))
        page = HtmlPage(COMMONMARK.render(json.loads(payload)["markdown"]["text"]))

        assert f"1. {one_line(text)}" in page.texts("strong")
        assert set(page.values("a", "href")) == {PAGE, "https://news.example/a_%28b%29_c*d"}


def test_nobody_is_mentioned_whatever_a_title_says() -> None:
    [payload] = payloads("dingtalk", an_edition(a_story("@13800001111 @all")))

    assert json.loads(payload)["at"] == {"atMobiles": [], "atUserIds": [], "isAtAll": False}
