"""Documents: the same stories in every format people publish. Pure text, no HTTP."""

from __future__ import annotations

import html
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from email.utils import format_datetime

from clawfeed.simulator.news.feed_model import Feed, Shape, Story

XML = '<?xml version="1.0" encoding="UTF-8"?>\n'
RSS_TYPE = "application/rss+xml; charset=utf-8"
ATOM_TYPE = "application/atom+xml; charset=utf-8"
HTML_TYPE = "text/html; charset=utf-8"
JSON_TYPE = "application/json; charset=utf-8"


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    content_type: str
    render: Callable[[Feed, str, Sequence[Story]], str]  # feed, its home page, newest story first


def tag(name: str, text: str) -> str:
    return f"<{name}>{html.escape(text)}</{name}>"


def rss20(feed: Feed, home: str, stories: Sequence[Story]) -> str:
    extras = tag("ttl", str(feed.ttl_minutes)) if feed.ttl_minutes is not None else ""
    if feed.skip_hours:
        hours = "".join(tag("hour", str(hour)) for hour in feed.skip_hours)
        extras += f"<skipHours>{hours}</skipHours>"
    items = "\n".join(_rss20_item(story) for story in stories)
    return (
        f'{XML}<rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/" '
        'xmlns:content="http://purl.org/rss/1.0/modules/content/">\n'
        f"<channel>{_channel(feed, home)}{tag('language', feed.language)}{extras}\n"
        f"{items}\n</channel></rss>\n"
    )


def _rss20_item(story: Story) -> str:
    return (
        f"<item>{tag('title', story.title)}{tag('link', story.url)}"
        f'<guid isPermaLink="false">{html.escape(story.guid)}</guid>'
        f"{tag('dc:creator', story.author)}{tag('category', story.beat)}"
        f"{tag('pubDate', format_datetime(story.published_at, usegmt=True))}"
        f"{tag('description', story.text)}"
        f"<content:encoded><![CDATA[{story.html}]]></content:encoded></item>"
    )


def rss091(feed: Feed, home: str, stories: Sequence[Story]) -> str:
    """As it was in 1999: title, link and description, no ids and no dates."""
    items = "\n".join(
        f"<item>{tag('title', story.title)}{tag('link', story.url)}"
        f"{tag('description', story.text)}</item>"
        for story in stories
    )
    return (
        f'{XML}<rss version="0.91">\n<channel>{_channel(feed, home)}'
        f"{tag('language', feed.language)}\n{items}\n</channel></rss>\n"
    )


def rss10(feed: Feed, home: str, stories: Sequence[Story]) -> str:
    listed = "".join(f'<rdf:li rdf:resource="{html.escape(story.url)}"/>' for story in stories)
    items = "\n".join(
        f'<item rdf:about="{html.escape(story.url)}">{tag("title", story.title)}'
        f"{tag('link', story.url)}{tag('description', story.html)}"
        f"{tag('dc:creator', story.author)}{tag('dc:date', story.published_at.isoformat())}</item>"
        for story in stories
    )
    return (
        f'{XML}<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" '
        'xmlns="http://purl.org/rss/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/">\n'
        f'<channel rdf:about="{html.escape(home)}">{_channel(feed, home)}'
        f"<items><rdf:Seq>{listed}</rdf:Seq></items></channel>\n{items}\n</rdf:RDF>\n"
    )


def atom10(feed: Feed, home: str, stories: Sequence[Story]) -> str:
    dates, space = ("published", "updated"), 'xmlns="http://www.w3.org/2005/Atom"'
    return _atom(feed, home, stories, dates=dates, space=space)


def atom03(feed: Feed, home: str, stories: Sequence[Story]) -> str:
    dates, space = ("issued", "modified"), 'version="0.3" xmlns="http://purl.org/atom/ns#"'
    return _atom(feed, home, stories, dates=dates, space=space)


def _atom(
    feed: Feed, home: str, stories: Sequence[Story], *, dates: tuple[str, str], space: str
) -> str:
    issued, changed = dates
    # Atom 0.3 escapes with mode="escaped", 1.0 with type="html".
    marks = 'type="text/html" mode="escaped"' if changed == "modified" else 'type="html"'
    entries = "\n".join(
        f"<entry>{tag('title', story.title)}{tag('id', story.guid)}"
        f'<link rel="alternate" type="text/html" href="{html.escape(story.url)}"/>'
        f"<author>{tag('name', story.author)}</author>"
        f"{tag(issued, story.published_at.isoformat())}"
        f"{tag(changed, story.published_at.isoformat())}"
        f"<content {marks}>{html.escape(story.html)}</content></entry>"
        for story in stories
    )
    latest = tag(changed, stories[0].published_at.isoformat()) if stories else ""
    return (
        f"{XML}<feed {space}>\n{tag('title', feed.title)}{tag('id', home)}"
        f'<link rel="alternate" type="text/html" href="{html.escape(home)}"/>{latest}\n'
        f"{entries}\n</feed>\n"
    )


def json_feed(feed: Feed, home: str, stories: Sequence[Story]) -> str:
    items = [
        {
            "id": story.guid,
            "url": story.url,
            "title": story.title,
            "content_html": story.html,
            "date_published": story.published_at.isoformat(),
            "authors": [{"name": story.author}],
            "tags": [story.beat],
        }
        for story in stories
    ]
    version = "https://jsonfeed.org/version/1.1"
    return _json(
        {"version": version, "title": feed.title, "home_page_url": home, "items": items},
    )


def api(feed: Feed, home: str, stories: Sequence[Story]) -> str:
    """Some firm's own JSON: the list lies two levels deep and nothing is called `title`."""
    items = [
        {
            "id": story.index,
            "headline": story.title,
            "link": story.url,
            "summary": html.unescape(story.text),
            "byline": {"name": story.author},
            "published": story.published_at.isoformat(),
        }
        for story in stories
    ]
    return _json({"status": "ok", "site": home, "data": {"desk": feed.title, "items": items}})


def website(feed: Feed, home: str, stories: Sequence[Story]) -> str:
    """A front page with headlines; readers with eyes for it find the feed in the head."""
    link = (
        f'<link rel="alternate" type="application/rss+xml" title="{html.escape(feed.title)}" '
        f'href="{html.escape(feed.alternate)}">'
        if feed.alternate
        else ""
    )
    teasers = "\n".join(
        f'<article><h2><a href="{html.escape(story.url)}">{html.escape(story.title)}</a></h2>'
        f"<p>{story.text}</p></article>"
        for story in stories
    )
    return page_of(feed.title, link + f'<link rel="canonical" href="{html.escape(home)}">', teasers)


def page(feed: Feed, home: str, stories: Sequence[Story]) -> str:
    """A page that says one thing at a time, in its Open Graph tags, and has no feed."""
    if not stories:
        return page_of(feed.title, f'<link rel="canonical" href="{html.escape(home)}">', "")
    story = stories[0]
    head = (
        f'<meta property="og:title" content="{html.escape(story.title)}">'
        f'<meta property="og:description" content="{story.text.replace(chr(34), "&quot;")}">'
        '<meta property="og:type" content="website">'
    )
    return page_of(feed.title, head, f"<h1>{html.escape(story.title)}</h1>{story.html}")


def article(story: Story, title: str) -> str:
    """The page behind an item's link."""
    words = f"<p>{html.escape(story.author)}, {story.published_at:%d %B %Y, %H:%M} UTC</p>"
    body = f"<article><h1>{html.escape(story.title)}</h1>{words}{story.html}</article>"
    head = f'<meta property="og:title" content="{html.escape(story.title)}">'
    return page_of(f"{story.title} - {title}", head, body)


def page_of(title: str, head: str, body: str) -> str:
    return (
        f'<!DOCTYPE html>\n<html><head><meta charset="utf-8">{tag("title", title)}{head}</head>\n'
        f"<body>\n{body}\n</body></html>\n"
    )


def opml(feeds: Iterable[tuple[str, str]]) -> str:
    """An OPML 2.0 list of (title, feed URL)."""
    lines = "\n".join(
        f'<outline type="rss" text="{html.escape(title)}" title="{html.escape(title)}" '
        f'xmlUrl="{html.escape(url)}"/>'
        for title, url in feeds
    )
    head = f"<head>{tag('title', 'Feeds of the simulated world')}</head>"
    return f'{XML}<opml version="2.0">{head}<body>\n{lines}\n</body></opml>\n'


def _channel(feed: Feed, home: str) -> str:
    about = f"{feed.title}: news that never happened"
    return tag("title", feed.title) + tag("link", home) + tag("description", about)


def _json(value: Mapping[str, object]) -> str:
    return json.dumps(value, ensure_ascii=False)


FORMATS: Mapping[Shape, Format] = {
    Shape.RSS20: Format(content_type=RSS_TYPE, render=rss20),
    Shape.RSS091: Format(content_type="text/xml; charset=utf-8", render=rss091),
    Shape.RSS10: Format(content_type="application/rdf+xml; charset=utf-8", render=rss10),
    Shape.ATOM10: Format(content_type=ATOM_TYPE, render=atom10),
    Shape.ATOM03: Format(content_type="application/xml; charset=utf-8", render=atom03),
    Shape.JSON_FEED: Format(content_type="application/feed+json; charset=utf-8", render=json_feed),
    Shape.WEBSITE: Format(content_type=HTML_TYPE, render=website),
    Shape.PAGE: Format(content_type=HTML_TYPE, render=page),
    Shape.API: Format(content_type=JSON_TYPE, render=api),
}
