"""What is put into words, and who does it: the texts of one story in, its words out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from clawfeed.domain.editions.digest import DigestStory, StorySource, StoryWords
from clawfeed.domain.ids import StoryId


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceText:
    """One telling of a story: where, and what it says as plain text (no markup, maybe empty)."""

    source: StorySource
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryMaterial:
    """A chosen story. Its texts, the one that tells it best first; *language* is its readers'."""

    story_id: StoryId
    texts: tuple[SourceText, ...]
    language: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EditionHeading:
    """What stands above the stories: a title of topics, and about three lines."""

    title: str
    summary: tuple[str, ...]


class StoryWriter(Protocol):
    """Puts one story into words. Never fails for the world's faults: it falls back."""

    async def write(self, material: StoryMaterial) -> StoryWords: ...


class EditionHeadingWriter(Protocol):
    """Writes an edition's title and summary from its finished stories. Never fails either."""

    async def write(self, stories: Sequence[DigestStory], language: str) -> EditionHeading: ...
