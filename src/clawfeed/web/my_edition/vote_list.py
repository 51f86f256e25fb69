"""What a reader said about stories, as lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from clawfeed.rendering.safe_text import one_line
from clawfeed.storage.readers.votes import StoryVote
from clawfeed.web.frame.page_rendering import PageView

VOTES_SHOWN: Final = 10


def vote_values(page: PageView, votes: Sequence[StoryVote]) -> dict[str, object]:
    """*votes* are one more than are shown, if there are as many."""
    shown = votes[:VOTES_SHOWN]
    more = len(votes) > VOTES_SHOWN
    return {
        "votes": [_line(page, vote) for vote in shown],
        "older_votes": f"/my-edition?before={shown[-1].id}#votes" if more else None,
    }


def _line(page: PageView, vote: StoryVote) -> dict[str, object]:
    return {
        "id": vote.id,
        "headline": one_line(vote.headline),
        "is_more": vote.vote > 0,
        "when": page.when(vote.created_at),
    }
