"""One happening told over days: which editions told it, and whether there is news since."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias

from clawfeed.domain.ids import DigestId, StoryId


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """What one scope's readers know of one happening. It keeps its id for as long as it is told."""

    id: StoryId
    scope: str
    title: str
    lead: str
    first_seen_at: datetime
    last_seen_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Telling:
    """One line of a story's timeline. *fingerprint* stands for what was said, words aside."""

    story_id: StoryId
    digest_id: DigestId
    headline: str
    fingerprint: str
    told_at: datetime
    what_changed: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Untold:
    """These readers have not heard of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AlreadyTold:
    """Told, and nothing happened since: it is left out."""

    last: Telling


@dataclass(frozen=True, slots=True, kw_only=True)
class Changed:
    """Told, and there is more now: the edition says what changed since *last*."""

    last: Telling


News: TypeAlias = Untold | AlreadyTold | Changed


def compare_with_told(fingerprint: str, last: Telling | None) -> News:
    """Whether a story with this *fingerprint* is news to readers whose last telling was *last*."""
    if last is None:
        return Untold()
    return AlreadyTold(last=last) if fingerprint == last.fingerprint else Changed(last=last)
