"""When a reader's next editions are there, as people say it: tomorrow at 07:30."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from clawfeed.rendering.dates import zone_named
from clawfeed.rendering.wording import wording_of
from clawfeed.storage.readers.reader_settings import SavedReaderSettings
from clawfeed.web.frame.page_rendering import PageView

A_DAY: Final = timedelta(days=1)


def coming_editions(page: PageView, saved: SavedReaderSettings) -> list[tuple[str, str]]:
    """The name of each type that is wanted, and when it comes; the next one first."""
    names = wording_of(page.language).types
    ordered = sorted(saved.types, key=lambda kind: saved.dues.get(kind, page.now))
    return [(names[kind], _told(page, saved, saved.dues.get(kind))) for kind in ordered]


def _told(page: PageView, saved: SavedReaderSettings, due: datetime | None) -> str:
    """*due* is when it is begun; who reads it cares for when it is there."""
    if due is None or due <= page.now:
        return page.say("my.coming_soon")
    zone, name = zone_named(saved.settings.zone)
    there = (due + saved.settings.lead_time).astimezone(zone)
    today = page.now.astimezone(zone).date()
    parts = {"time": f"{there:%H:%M}", "zone": name}
    if there.date() == today:
        return page.say("my.coming_today", **parts)
    if there.date() == today + A_DAY:
        return page.say("my.coming_tomorrow", **parts)
    day = page.say(f"weekday.{there.weekday()}")
    return page.say("my.coming_later", day=day, when=page.when(there), zone=name)
