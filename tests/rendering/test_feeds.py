"""Feeds that others can read: the rules of RSS 2.0 and JSON Feed 1.1, and what comes back."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

import pytest
from lxml import etree  # type: ignore[import-untyped] # it ships no types

from clawfeed.domain.editions.edition_period import EditionType
from clawfeed.domain.ids import DigestId
from clawfeed.domain.sources.item import Draft
from clawfeed.rendering.feed_json import render_json_feed
from clawfeed.rendering.feed_rss import render_rss
from clawfeed.rendering.feed_view import FeedAbout, FeedEdition, FeedView, feed_view
from clawfeed.rendering.safe_text import one_line
from clawfeed.sources.documents.feed import parse_feed
from tests.support.clocks import NOON
from tests.support.digests import a_story, an_edition
from tests.support.hostile_text import markup_texts, odd_texts
from tests.support.html_pages import HtmlPage

HOSTILE = [each for each in (*markup_texts(), *odd_texts()[:60]) if one_line(each)]
ABOUT = FeedAbout(
    kind=EditionType.DAILY,
    base_url="https://feeds.example",
    address="https://feeds.example/feed/daily.rss",
)
CONTENT = "{http://purl.org/rss/1.0/modules/content/}encoded"
ATOM_LINK = "{http://www.w3.org/2005/Atom}link"
RFC_822 = re.compile(r"(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT")


def view_of_all(titles: list[str], about: FeedAbout = ABOUT) -> FeedView:
    return feed_view(
        about,
        [
            FeedEdition(
                digest_id=DigestId(number),
                content=an_edition(a_story(title), title=title, summary=(title,)),
                created_at=NOON - timedelta(days=number, microseconds=7),
            )
            for number, title in enumerate(titles, 1)
        ],
    )


def test_rss_keeps_the_rules_whatever_titles_hold() -> None:
    """Well-formed, with all that RSS 2.0 asks for, one guid each, dates by RFC 822."""
    root = etree.fromstring(render_rss(view_of_all(HOSTILE)))
    [channel] = root
    items = channel.findall("item")

    assert (root.tag, root.get("version")) == ("rss", "2.0")
    assert all(channel.findtext(name) for name in ("title", "link", "description", "language"))
    assert [link.attrib for link in channel.findall(ATOM_LINK)] == [
        {"rel": "self", "type": "application/rss+xml", "href": ABOUT.address}
    ]
    shown = [HtmlPage(item.findtext("title")).texts("body")[0] for item in items]
    assert ["".join(each.split()) for each in shown] == [
        "".join(one_line(each).split()) for each in HOSTILE
    ]
    assert {item.find("guid").get("isPermaLink") for item in items} == {"false"}
    assert len({item.findtext("guid") for item in items}) == len(items)
    for item in items:
        assert [child.tag for child in item] == [
            "title", "link", "guid", "pubDate", "description", CONTENT,
        ]  # fmt: skip
        assert RFC_822.fullmatch(item.findtext("pubDate"))
        assert re.fullmatch(r"https://feeds\.example/digests/\d+", item.findtext("link"))
    assert channel.findtext("lastBuildDate") == items[0].findtext("pubDate")
    assert parsedate_to_datetime(items[0].findtext("pubDate")) < NOON - timedelta(days=1)


def test_json_feed_keeps_the_rules_whatever_titles_hold() -> None:
    feed = json.loads(render_json_feed(view_of_all(HOSTILE)))

    assert feed["version"] == "https://jsonfeed.org/version/1.1"
    assert (feed["title"], feed["language"]) == ("ClawFeed · Daily edition", "en")
    assert feed["home_page_url"] == "https://feeds.example/"
    assert [item["title"] for item in feed["items"]] == [one_line(each) for each in HOSTILE]
    assert len({item["id"] for item in feed["items"]}) == len(HOSTILE)
    for item in feed["items"]:
        assert item.keys() == {
            "id", "url", "title", "summary", "content_html", "date_published", "language",
        }  # fmt: skip
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", item["date_published"])


def test_content_needs_nothing_around_it() -> None:
    """Readers resolve no anchor of ours, and fetch nothing: whole links, no style, no image."""
    [entry] = view_of_all(["<script>alert(1)</script>"]).entries
    page = HtmlPage(entry.html)

    assert page.attributes() <= {"href"}
    assert all(str(each).startswith("https://") for each in page.values("a", "href"))
    assert page.count("script, img, style, link") == 0
    assert page.texts("h1") == ["<script>alert(1)</script>"]


@pytest.mark.parametrize("render", [render_rss, render_json_feed], ids=["rss", "json"])
def test_our_own_source_reads_it_back_without_loss(render: Callable[[FeedView], bytes]) -> None:
    """Titles, links, dates and the words of every edition, hostile ones included."""
    view = view_of_all([each for each in markup_texts() if one_line(each)])

    document = parse_feed(
        render(view),
        content_type="application/rss+xml" if render is render_rss else "application/feed+json",
        base_url="https://feeds.example/feed/daily",
        now=datetime(2027, 1, 1, tzinfo=UTC),
    )

    assert [_facts(each) for each in document.entries] == [
        (each.title, each.link, each.published_at.replace(microsecond=0)) for each in view.entries
    ]
    for draft, entry in zip(document.entries, view.entries, strict=True):
        assert _words(draft.content) == _words(entry.html)
        assert HtmlPage(draft.content).values("a", "href") == HtmlPage(entry.html).values(
            "a", "href"
        )


def _facts(draft: Draft) -> tuple[str, str | None, datetime | None]:
    return draft.title, draft.url, draft.published_at


def _words(html: str) -> str:
    return "".join("".join(HtmlPage(html).texts("body")).split())


def test_an_edition_keeps_its_id_wherever_the_house_moves_and_has_it_alone() -> None:
    moved = FeedAbout(kind=EditionType.DAILY, base_url="https://new.example", address=None)
    here, there = view_of_all(["One", "Two"]), view_of_all(["Other", "Words"], moved)

    assert [each.id for each in here.entries] == [each.id for each in there.entries]
    # As readers know it: a change of this line is shown to all of them as new editions.
    assert here.entries[0].id == "urn:uuid:d6937683-9b43-5285-b323-12e01223dca3"


def test_an_empty_feed_is_a_feed_and_a_secret_address_is_not_in_it() -> None:
    own = FeedAbout(
        kind=EditionType.WEEKLY, base_url="https://feeds.example", address=None, owner="Anna\n<b>"
    )
    view = feed_view(own, [])

    channel = etree.fromstring(render_rss(view))[0]
    feed = json.loads(render_json_feed(view))

    assert channel.findtext("title") == feed["title"] == "ClawFeed · Weekly edition · Anna <b>"
    assert (channel.findall(ATOM_LINK), channel.findall("item")) == ([], [])
    assert "feed_url" not in feed
    assert feed["items"] == []
