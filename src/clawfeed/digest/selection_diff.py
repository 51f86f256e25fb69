"""Two selections of the same stories held against each other: what comes in, goes out and moves."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from clawfeed.digest.selection.selection import StoryVerdict
from clawfeed.domain.editions.digest import Section
from clawfeed.domain.ids import ItemId


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryChange:
    """One story then and now. *place* is its number in the edition, None where it is not in."""

    before: StoryVerdict
    after: StoryVerdict
    place_before: int | None
    place_after: int | None

    @property
    def interest(self) -> float:
        """What the other interests add to its score, or take from it."""
        return self.after.verdict.candidate.interest - self.before.verdict.candidate.interest

    @property
    def is_met(self) -> bool:
        """Whether the other interests say anything about it."""
        was_muted = self.before.verdict.candidate.is_muted
        return bool(self.interest) or was_muted != self.after.verdict.candidate.is_muted


@dataclass(frozen=True, slots=True, kw_only=True)
class EditionChanges:
    """*moved* are the stories that move because of the interests, not those that make room.

    *met* is how many of all stories the other interests say something about; *stories* is how many
    the edition would tell.
    """

    comes_in: tuple[StoryChange, ...]
    goes_out: tuple[StoryChange, ...]
    moved: tuple[StoryChange, ...]
    met: int
    stories: int

    @property
    def is_nothing(self) -> bool:
        return not (self.comes_in or self.goes_out or self.moved)


def changes_between(
    before: Sequence[StoryVerdict], after: Sequence[StoryVerdict]
) -> EditionChanges:
    """What of *before* is another in *after*: two selections of the same items."""
    places_before, places_after = _places(before), _places(after)
    now = {_first(story): story for story in after}
    changes = [
        StoryChange(
            before=story,
            after=now[_first(story)],
            place_before=places_before.get(_first(story)),
            place_after=places_after.get(_first(story)),
        )
        for story in before
    ]
    return EditionChanges(
        comes_in=_sorted(c for c in changes if c.place_after and not c.place_before),
        goes_out=_sorted(c for c in changes if c.place_before and not c.place_after),
        moved=_sorted(
            c
            for c in changes
            if c.is_met and c.place_before and c.place_after and c.place_before != c.place_after
        ),
        met=sum(change.is_met for change in changes),
        stories=len(places_after),
    )


def _first(story: StoryVerdict) -> ItemId:
    """Which story it is: in both selections the same items tell it."""
    return min(item.id for item in story.items)


def _places(stories: Iterable[StoryVerdict]) -> dict[ItemId, int]:
    """The chosen as they are printed: section by section, and within one the best first."""
    order = list(Section)
    chosen = [story for story in stories if story.dropped is None]
    printed = sorted(chosen, key=lambda story: order.index(story.section))
    return {_first(story): number for number, story in enumerate(printed, 1)}


def _sorted(changes: Iterable[StoryChange]) -> tuple[StoryChange, ...]:
    return tuple(sorted(changes, key=lambda change: change.place_after or change.place_before or 0))
