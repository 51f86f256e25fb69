"""How far somebody's first edition is, in one word."""

from __future__ import annotations

from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from clawfeed.storage.editions.first_poll_progress import ReadSoFar
from clawfeed.storage.readers.first_edition_progress import OwnFirstEdition

# Whoever has heard of nothing for so long should look at the network.
LONG_SILENCE: Final = timedelta(seconds=30)


class FirstRunStage(StrEnum):
    """Each has a title and a sentence of its name among the texts."""

    NOTHING = "nothing"  # nothing is followed
    READY = "ready"
    MAKING = "making"
    READING = "reading"  # its sources are read
    SILENT = "silent"  # nothing came, and should have
    EMPTY = "empty"  # it had nothing to tell
    ASK = "ask"  # other sources than the last one was made of


def stage_of(so_far: ReadSoFar, own: OwnFirstEdition, now: datetime) -> FirstRunStage:
    if own.is_there:
        return FirstRunStage.READY
    if so_far.sources == 0:
        return FirstRunStage.NOTHING
    if so_far.items == 0:
        is_long = so_far.followed_at is not None and now - so_far.followed_at > LONG_SILENCE
        return (
            FirstRunStage.SILENT
            if is_long or so_far.polled == so_far.sources
            else FirstRunStage.READING
        )
    if own.is_over:
        return FirstRunStage.EMPTY
    if own.is_begun or own.next_due_at is None or own.next_due_at <= now:
        return FirstRunStage.MAKING if so_far.polled == so_far.sources else FirstRunStage.READING
    # Put off for seconds, because something is still unread.
    return FirstRunStage.READING if so_far.polled < so_far.sources else FirstRunStage.ASK
