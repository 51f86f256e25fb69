"""What feeds carry around a text is taken away, and nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clawfeed.digest.summaries.boilerplate import (
    clean_sentences,
    is_boilerplate,
    without_boilerplate,
)
from clawfeed.digest.summaries.boilerplate_patterns import PATTERNS
from clawfeed.digest.summaries.plain_text import plain_text
from tests.digest.summaries.test_sentences import growth

NEWS = "The old bridge is closed."
NEWS_ZH = "老桥今天关闭。"


@pytest.mark.parametrize(
    "text",
    [
        f"{NEWS} The post Bridge closed appeared first on River Times.",
        f"{NEWS}\nThe post Bridge closed first appeared on River Times.",
        f"{NEWS} Der Beitrag Brücke zu erschien zuerst auf Flussblatt.",
        f"{NEWS} L’article Pont fermé est apparu en premier sur Le Fleuve.",
        f"{NEWS} Continue reading",
        f"{NEWS} Continue reading “Bridge closed” →",
        f"{NEWS} Read more…",
        f"{NEWS} Read the full story",
        f"{NEWS} [...]",
        f"{NEWS} […] The post Bridge closed appeared first on River Times.",
        f"{NEWS} (Image: River Times)",
        f"{NEWS} (Image credit: Ada Penn)",
        f"{NEWS} [Photo by Ada Penn]",
        f"Photo: Ada Penn / River Pictures\n{NEWS}",
        f"Photograph by Ada Penn\n{NEWS}",
        f"Crowds at the bridge on Monday. Ada Penn/Getty Images\n{NEWS}",
        f"By Ada Penn\n{NEWS}",
        f"By Ada Penn and Tom B. Quill, River Times\n{NEWS}",
        f"by A. K. Penn on 1909-07-10 for The River Times\n{NEWS}",
        f"Reuters - {NEWS}",
        f"LONDON (AP) — {NEWS}",
        f"RIVERTON, Nov 3 (Reuters) - {NEWS}",
        f"By Ada Penn RIVERTON (AP) — {NEWS}",
        f"Riverton -- {NEWS}",
        f"[River Times] {NEWS}",
        f"Posted on August 25, 2024 {NEWS}",
        f"25 August 2024, 14:30 UTC\n{NEWS}",
        f"Bridge closed\nAda Penn, 25 August 2024, 14:30 UTC\n{NEWS}",
        f"Ada Penn, 25 August 2024, 14:30 UTC {NEWS}",
        f"By Ada Penn | August 25, 2024\n{NEWS}",
        f"[riverTimes] {NEWS}",
        f"3 min read\n{NEWS}",
        f"{NEWS}\n2,301 views",
        f"{NEWS}\nShare this: Facebook, X",
        f"{NEWS}\nFollow us on Mastodon for more.",
        f"{NEWS} Subscribe to our newsletter for more.",
        f"{NEWS} Sign up for our daily briefing.",
        f"{NEWS} Get the news delivered to your inbox.",
        f"{NEWS} This site uses cookies to serve you better.",
        f"{NEWS} We may earn a commission from links on this page.",
        f"{NEWS} This article was originally published on River Times.",
        f"{NEWS} © 2026 River Times.",
        f"{NEWS} Read more: Ferry fares rise.",
        f"{NEWS} Let me know in the comments.",
        f"{NEWS} https://river.example/bridge",
        f"https://river.example/bridge\n{NEWS}",
        f"{NEWS}\nTags: bridges, rivers",
        f"{NEWS}\n#bridge #river",
        f"{NEWS} Article URL: https://r.example/1 Comments URL: https://l.example/2 Points: 12",
        f"{NEWS} Comments URL: https://l.example/2 Points: 12 # Comments: 3",
        f"{NEWS} submitted by /u/ada_penn to r/bridges [link] [comments]",
        f"{NEWS}\nComments",
        f"Listen to this post: Log in to listen {NEWS}",
        f"Bridge closed\n{NEWS}",
        f"Bridge closed Posted on August 25, 2024 {NEWS}",
        f"25 August 2024 — Bridge closed\nBy Ada Penn\nLONDON (AP) — {NEWS}",
        f"Welcome to the weekly letter. {NEWS}",
    ],
)  # fmt: skip
def test_english_is_left_with_its_news(text: str) -> None:
    assert clean_sentences(text, "Bridge closed") == [NEWS]


@pytest.mark.parametrize(
    "text",
    [
        f"【快讯】{NEWS_ZH}",
        f"来源：河边日报\n{NEWS_ZH}",
        f"来源：河边日报 {NEWS_ZH}",
        f"作者：陈河\n{NEWS_ZH}",
        f"新华社河城11月3日电（记者 陈河）{NEWS_ZH}",
        f"河边网记者陈河报道：{NEWS_ZH}",
        f"（记者 陈河 报道）{NEWS_ZH}",
        f"IT之家11月3日消息，{NEWS_ZH}",
        f"{NEWS_ZH}点击查看原文",
        f"{NEWS_ZH}阅读全文",
        f"{NEWS_ZH}（责任编辑：陈河）",
        f"{NEWS_ZH}\n责任编辑：陈河",
        f"{NEWS_ZH}\n图片来源：河边日报",
        f"{NEWS_ZH}（图源：河边日报）",
        f"{NEWS_ZH}\n扫码关注我们",
        f"{NEWS_ZH}欢迎关注河边日报公众号。",
        f"{NEWS_ZH}未经授权不得转载。",
        f"2026年11月3日 09:30\n{NEWS_ZH}",
        f"{NEWS_ZH}\n标签：桥，河",
        f"{NEWS_ZH}[…]",
    ],
)
def test_chinese_is_left_with_its_news(text: str) -> None:
    assert clean_sentences(text, "老桥关闭") == [NEWS_ZH]


@pytest.mark.parametrize(
    "text",
    [
        "Comments by the mayor angered drivers.",
        "By Monday the bridge was closed.",
        "Read more books, say doctors.",
        "Photo albums of the bridge sell well.",
        "Apple said on Monday that it will build a bridge.",
        "Follow the river to the bridge.",
        "The newsletter of the town council tells of a bridge.",
        "The post office at the bridge is closed.",
        "Related species live under the bridge.",
        "He said [the bridge] was safe.",
        "A sign at the bridge says: closed.",
        "Cookies are sold at the bridge.",
        "记者在桥上看到一条船。",
        "来源不明的船停在桥下。",
        "苹果公司关注桥梁建设。",
    ],
)
def test_what_only_looks_like_it_stays(text: str) -> None:
    assert clean_sentences(text, "Apple") == [text]


def test_there_may_be_nothing_left() -> None:
    for text in ("Comments", "https://a.example/b", "", "submitted by /u/a [link] [comments]"):
        assert without_boilerplate(text, "A title") == ""


def test_a_headline_said_again_goes_only_where_something_begins_anew() -> None:
    title = "Bridge over the river closed"

    assert without_boilerplate(f"{title}. {NEWS}", title) == NEWS
    assert without_boilerplate(f"{title} for a year.", title) == f"{title} for a year."


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<p>One <b>two</b>.</p><p>Three.</p>", "One two.\nThree."),
        ("<h2>Heading</h2><p>One.</p><pre>x = 1</pre><p>Two.</p>", "One.\nTwo."),
        ("<figure><img><figcaption>Caption.</figcaption></figure>One.", "One."),
        ("<p>One\nwrapped\nline.</p>", "One wrapped line."),
        ("One\nwrapped line.\nNext paragraph.", "One wrapped line.\nNext paragraph."),
        ("&lt;p&gt;Escaped &lt;b&gt;twice&lt;/b&gt;.&lt;/p&gt;", "Escaped twice."),
        ("<p>So<sup><a href='#1'>1</a></sup> and 10<sup>4</sup>.</p>", "So and 104."),
        ("a < b and Q&amp;A", "a < b and Q&A"),
        ("", ""),
    ],
)
def test_html_is_read_by_its_paragraphs(html: str, text: str) -> None:
    assert plain_text(html) == text


@given(st.text(max_size=300), st.text(max_size=40))
def test_any_text_is_cleaned_and_none_is_made_up(text: str, title: str) -> None:
    cleaned = without_boilerplate(text, title)

    assert set(cleaned) <= set(text) | {"\n", " ", "…"}
    assert isinstance(is_boilerplate(cleaned), bool)


@pytest.mark.parametrize(
    "piece",
    [
        "the post ",
        "By A B ",
        "https://a ",
        "(Image: ",
        "[",
        "read more ",
        "新华社",
        "#a ",
        "1 ",
        "submitted by ",
        "comments url: https://a ",
        "A B, ",
        "Ada and ",
        "AAAA ",
        "来源：",
        " ",
        "\n",
    ],
)
def test_the_work_grows_with_the_text(piece: str) -> None:
    """Only so much of a text is read: beyond that, more of it costs next to nothing."""
    assert growth(clean_sentences, piece * 1_000, piece * 8_000) < 32
    assert growth(clean_sentences, "a " * 2_000, piece * 4_000) < 64


def test_every_pattern_says_what_it_is_about() -> None:
    assert all(pattern.about for pattern in PATTERNS)
