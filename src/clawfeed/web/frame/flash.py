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
    SOURCE_ADDED = "source_added"
    PAUSED = "paused"
    RESUMED = "resumed"
    FETCH_ASKED = "fetch_asked"
    CADENCE_SET = "cadence_set"
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
