"""Whether a story is news to readers who may have heard of it."""

from __future__ import annotations

from clawfeed.domain.ids import DigestId, StoryId
from clawfeed.domain.story import AlreadyTold, Changed, Telling, Untold, compare_with_told
from tests.support.clocks import NOON

TOLD = Telling(
    story_id=StoryId(1), digest_id=DigestId(2), headline="h", fingerprint="a", told_at=NOON
)


def test_a_story_is_told_again_only_if_it_changed_and_then_since_when() -> None:
    assert compare_with_told("a", None) == Untold()
    assert compare_with_told("a", TOLD) == AlreadyTold(last=TOLD)
    assert compare_with_told("b", TOLD) == Changed(last=TOLD)
