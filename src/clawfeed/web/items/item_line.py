"""An item as a line of a list: plain words, its source's own signals, what became of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from markupsafe import Markup

from clawfeed.digest.selection.popularity import named_signal
from clawfeed.digest.summaries.boilerplate import without_title
from clawfeed.digest.summaries.plain_text import plain_text
from clawfeed.domain.ids import ItemId, JsonValue, MarkId, SourceId
from clawfeed.rendering.safe_text import one_line, safe_link
from clawfeed.rendering.text_width import cells
from clawfeed.sources.documents.text_cleaning import shorten
from clawfeed.storage.digests.told_items import TellingKey
from clawfeed.storage.items.followed_items import ItemLine
from clawfeed.storage.readers.marks import address_to_mark
from clawfeed.web.frame.page_rendering import PageView

# Two lines of the text's measure, and a headline that does not fill a phone.
LEAD_CELLS: Final = 170
TITLE_CELLS: Final = 220
# Older when it was found than that, and both dates are told: feeds bring entries of years ago.
USUAL_DELAY: Final = timedelta(days=1)
_DISCUSSIONS: Final = ("discussion", "permalink", "comments")


@dataclass(frozen=True, slots=True, kw_only=True)
class Signal:
    """What its source counts of it; *link* is where that is talked about."""

    text: Markup
    link: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """*when* is a sentence in the reader's zone; *story* the address of what an edition told."""

    id: ItemId
    title: str
    link: str | None
    lead: str
    source_id: SourceId
    source_name: str
    when: str
    iso: str
    signals: tuple[Signal, ...]
    is_saved: bool
    story: str | None


def line_of(
    page: PageView,
    item: ItemLine,
    marks: Mapping[str, MarkId],
    tellings: Mapping[ItemId, TellingKey],
) -> Line:
    name = one_line(item.source_name) or str(item.source_id)
    told = tellings.get(item.id)
    title = _fitting(one_line(item.title), TITLE_CELLS)
    lead = lead_of(item, title)
    return Line(
        id=item.id,
        title=title or lead or name,
        link=safe_link(item.url),
        lead=lead if title else "",
        source_id=item.source_id,
        source_name=name,
        when=_when(page, item),
        iso=(item.published_at or item.fetched_at).isoformat(timespec="minutes"),
        signals=tuple(_signals(page, item.metadata)),
        is_saved=address_to_mark(item.id, item.url) in marks,
        story=f"/stories/{told.story_id}?edition={told.digest_id}" if told else None,
    )


def lead_of(item: ItemLine, title: str) -> str:
    """How its text begins, without the *title* repeated: a post's title is its beginning."""
    text = without_title(one_line(plain_text(item.beginning, 4 * LEAD_CELLS)), title)
    stem = title.rstrip("…. ")
    if stem and text.startswith(stem):
        rest = text[len(stem) :].lstrip("…. ")
        text = f"… {rest}" if rest else ""
    return _fitting(text, LEAD_CELLS)


def _fitting(text: str, width: int) -> str:
    """So much of *text* as takes *width* cells; a Chinese character takes two."""
    head = text[: width + 1]
    return shorten(text, width if cells(head) <= 1.2 * len(head) else width // 2)


def _when(page: PageView, item: ItemLine) -> str:
    found, published = page.when(item.fetched_at), item.published_at
    # A feed that says it published later than we found it is wrong about its clock or its zone.
    if published is None or published > item.fetched_at:
        return page.say("items.found_on", when=found)
    if published < item.fetched_at - USUAL_DELAY:
        return page.say("items.came_late", published=page.when(published), when=found)
    return page.when(published)


def _signals(page: PageView, metadata: Mapping[str, JsonValue]) -> list[Signal]:
    found = []
    if (loudest := named_signal(metadata)) is not None:
        name, number = loudest
        found.append(Signal(text=page.say(f"signal.{name}", n=round(number))))
    comments = metadata.get("comments")
    if type(comments) is int and comments >= 0:
        found.append(
            Signal(text=page.say("signal.comments", n=comments), link=_discussion(metadata))
        )
    return found


def _discussion(metadata: Mapping[str, JsonValue]) -> str | None:
    places = (metadata.get(name) for name in _DISCUSSIONS)
    return next(
        (link for each in places if isinstance(each, str) and (link := safe_link(each))), None
    )
