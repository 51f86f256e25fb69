"""What was just done, told once on the next page: a code in a cookie, never a sentence.

The cookie is out of reach of scripts and lives for a minute; whoever forges one can make a page
say a sentence of ours, and nothing else.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import Final

from fastapi import Request, Response

from clawfeed.auth.cookies import SafeCookie


class Done(StrEnum):
    """What can have been done; each has its text, `done.CODE`."""

    MARKED = "marked"
    UNMARKED = "unmarked"
    VOTED = "voted"
    UNVOTED = "unvoted"
    FOLLOWED = "followed"
    LEFT = "left"
    PACK_FOLLOWED = "pack_followed"
    PACK_MADE = "pack_made"
    PACK_CHANGED = "pack_changed"
    PACK_REMOVED = "pack_removed"
    SOURCE_ADDED = "source_added"
    PAUSED = "paused"
    RESUMED = "resumed"
    CADENCE_SET = "cadence_set"
    INTEREST_ADDED = "interest_added"
    INTEREST_REMOVED = "interest_removed"
    INTERESTS_BACK = "interests_back"
    EDITION_SET = "edition_set"
    EDITION_MADE = "edition_made"
    EDITION_THERE = "edition_there"
    EDITION_BEGUN = "edition_begun"
    CHANNEL_ADDED = "channel_added"
    CHANNEL_CHANGED = "channel_changed"
    CHANNEL_PAUSED = "channel_paused"
    CHANNEL_RESUMED = "channel_resumed"
    CHANNEL_REMOVED = "channel_removed"
    RESENT = "resent"
    X_REVOKED = "x_revoked"
    X_REVOKED_HERE = "x_revoked_here"
    X_FOLLOWED = "x_followed"
    EDITION_STARTED = "edition_started"
    EDITION_TRIGGERED = "edition_triggered"
    EDITION_RETRIED = "edition_retried"
    EDITION_FORCED = "edition_forced"
    EDITION_RESET = "edition_reset"
    EDITION_REOPENED = "edition_reopened"
    MESSAGE_RESENT = "message_resent"
    MESSAGE_DROPPED = "message_dropped"
    PERSON_CHANGED = "person_changed"
    PERSON_SIGNED_OUT = "person_signed_out"
    PERSONS_KEY_REVOKED = "persons_key_revoked"
    LIVE_SETTING_SAVED = "live_setting_saved"
    LIVE_SETTING_FORGOTTEN = "live_setting_forgotten"
    SOURCE_CHANGED = "source_changed"
    SOURCE_REMOVED = "source_removed"
    FAULT_MENDED = "fault_mended"
    FAULT_GONE = "fault_gone"
    PASSWORD_CHANGED = "password_changed"  # noqa: S105 -- a word for people
    SIGNED_OUT_ELSEWHERE = "signed_out_elsewhere"
    KEY_REVOKED = "key_revoked"
    FEED_REVOKED = "feed_revoked"


# Where "Undo" posts to, with the *thing* in the field of that name. Without a line: no undo.
UNDO: Final[dict[Done, str]] = {
    Done.UNMARKED: "/marks/undo",
    Done.FOLLOWED: "/sources/leave",
    Done.PACK_FOLLOWED: "/sources/leave",
    Done.LEFT: "/sources/follow",
    Done.UNVOTED: "/my-edition/votes/undo",
    Done.INTEREST_ADDED: "/my-edition/interests/undo",
    Done.INTEREST_REMOVED: "/my-edition/interests/undo",
}

# Browsers keep 4,096 bytes for a cookie with its name and what is said about it.
LONGEST_THING: Final = 3_500
_FORM: Final = re.compile(
    rf"(?P<code>[a-z_]{{1,40}})(?:\.(?P<thing>[\w-]{{1,{LONGEST_THING}}}))?", re.ASCII
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Flash:
    """*thing* is what to undo it with: an id, or a few words of our own making."""

    done: Done
    thing: str = ""

    @property
    def undo(self) -> str | None:
        return UNDO.get(self.done) if self.thing else None

    @property
    def text(self) -> str:
        """The key of its sentence."""
        return f"done.{self.done}"


class FlashCookie(SafeCookie):
    """Carries a flash to the next page."""

    __slots__ = ()

    plain_name = "flash"
    life = timedelta(minutes=1)

    def leave(self, response: Response, flash: Flash) -> None:
        self.set(response, f"{flash.done}.{flash.thing}" if flash.thing else str(flash.done))

    def find(self, request: Request) -> Flash | None:
        """What was done, if the cookie is one of ours."""
        found = _FORM.fullmatch(self.read(request) or "")
        if found is None or found["code"] not in set(Done):
            return None
        return Flash(done=Done(found["code"]), thing=found["thing"] or "")
