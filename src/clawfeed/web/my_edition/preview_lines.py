"""What other interests would change, as lines to read: what comes in, goes out, moves, and why."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from markupsafe import Markup

from clawfeed.digest.preview import EditionComparison
from clawfeed.digest.selection_diff import StoryChange
from clawfeed.domain.editions.selection import DropReason
from clawfeed.rendering.safe_text import one_line, safe_link
from clawfeed.rendering.wording import Noun, wording_of
from clawfeed.web.frame.page_rendering import PageView


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryLine:
    """*place* is where it stands in the edition now and then, for people."""

    title: str
    link: str | None
    why: str
    place: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """*said* sums it up, and is read out. Without anything tried there is nothing said."""

    said: str = ""
    facts: str = ""
    groups: tuple[tuple[str, tuple[StoryLine, ...]], ...] = ()


def compared(page: PageView, found: EditionComparison) -> Preview:
    changes = found.changes
    if not found.items:
        return Preview(said=page.say("my.nothing_there"))
    groups = (
        ("my.comes_in", _lines(page, changes.comes_in, _why_in)),
        ("my.goes_out", _lines(page, changes.goes_out, _why_out)),
        ("my.moves", _lines(page, changes.moved, _why_moved)),
    )
    return Preview(
        said=_said(page, found),
        facts=_facts(page, found),
        groups=tuple((heading, lines) for heading, lines in groups if lines),
    )


def _said(page: PageView, found: EditionComparison) -> Markup:
    changes = found.changes
    if not changes.met:
        return page.say("my.nobody_met")
    if changes.is_nothing:
        return page.say("my.same_edition", n=changes.met)
    return page.say(
        "my.changes",
        come=len(changes.comes_in),
        go=len(changes.goes_out),
        move=len(changes.moved),
    )


def _facts(page: PageView, found: EditionComparison) -> Markup:
    wording = wording_of(page.language)
    return page.say(
        "my.of_todays" if found.is_made else "my.of_last_day",
        items=wording.counted(Noun.ITEM, found.items),
        sources=wording.counted(Noun.SOURCE, found.sources),
        stories=wording.counted(Noun.STORY, found.changes.stories),
    )


def _lines(
    page: PageView, changes: Iterable[StoryChange], why: Callable[[PageView, StoryChange], str]
) -> tuple[StoryLine, ...]:
    return tuple(
        StoryLine(
            title=one_line(each.after.title) or page.say("my.untitled"),
            link=safe_link(each.after.items[0].url),
            why=why(page, each),
            place=_place(page, each),
        )
        for each in changes
    )


def _place(page: PageView, change: StoryChange) -> str:
    before, after = change.place_before, change.place_after
    if before and after:
        return page.say("my.from_to", before=before, after=after)
    return page.say("my.place", n=before or after)


def _why_in(page: PageView, change: StoryChange) -> str:
    return _why_met(page, change) or page.say("my.why_room")


def _why_out(page: PageView, change: StoryChange) -> str:
    dropped = change.after.dropped or DropReason.EDITION_FULL
    if dropped is not DropReason.MUTED and change.interest < 0:
        return page.say("my.why_less")
    return wording_of(page.language).dropped[dropped]


def _why_moved(page: PageView, change: StoryChange) -> str:
    return _why_met(page, change) or page.say("my.why_less")


def _why_met(page: PageView, change: StoryChange) -> str:
    """Which words it meets; empty if none spoke for it."""
    if change.interest <= 0:
        return ""
    names = [one_line(each) for each in change.after.reason.interests]
    return page.say("my.why_met", words=page.say("my.and").join(names))
