"""What a feed's fetcher remembers between two polls, and how a move becomes believed (T20)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import lru_cache

from clawfeed.domain.ids import JsonValue
from clawfeed.domain.sources.item import fingerprint
from clawfeed.egress.request_and_response import Response
from clawfeed.sources.fetchers.response_outcomes import conditional, validator

# A redirect may be a mistake or a break-in of an hour; one that lasts a day is meant.
REDIRECTS_NEEDED = 3
REDIRECT_LASTING = timedelta(hours=24)
# Hints are a day at most; a damaged number must not be larger than a duration can be.
_LONGEST_TTL = 366 * 24 * 3600


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """A permanent redirect that is not yet believed."""

    to: str
    first_seen_at: datetime
    times: int

    def is_proven(self, now: datetime) -> bool:
        return self.times >= REDIRECTS_NEEDED and now - self.first_seen_at >= REDIRECT_LASTING


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedCursor:
    """The state of one feed; `load` and `save` translate from and to `Source.cursor`.

    *home* is the configured URL: a cursor of another URL is worth nothing. *moved_to* is where the
    feed lives since a move was proven. The validators belong to the document with *body_hash*, and
    *keys* name the entries it had (`entry_keys`): saved with their items, never ahead of them.
    """

    home: str
    moved_to: str | None = None
    etag: str = ""
    last_modified: str = ""
    body_hash: str = ""
    keys: str = ""
    ttl: timedelta | None = None
    skip_hours: frozenset[int] = frozenset()
    skip_days: frozenset[int] = frozenset()
    move: Move | None = None

    @property
    def url(self) -> str:
        """Where to ask."""
        return self.moved_to or self.home

    def conditions(self, now: datetime) -> dict[str, str]:
        """The headers for a conditional request.

        None when a proven move only waits for a whole answer from its new place.
        """
        if self.move and self.move.is_proven(now):
            return {}
        return conditional(self.etag, self.last_modified)

    def returned_home(self) -> FeedCursor:
        """The cursor for asking at the configured URL again: the new place did not last.

        It forgets the document too, so that the answer is read anew and the return is stored.
        """
        return FeedCursor(home=self.home)

    def with_validators(self, response: Response) -> FeedCursor:
        return replace(
            self,
            etag=validator(response, "etag"),
            last_modified=validator(response, "last-modified"),
        )

    def after(self, response: Response, *, now: datetime, is_feed: bool) -> FeedCursor:
        """Note where the answer came from.

        The new URL is used once a permanent redirect to it was seen three times over a day, and
        only when it has just answered with a feed. Never from https to http.
        """
        to = response.permanent_url
        if to is None or to == self.url or _is_downgrade(self.url, to):
            return replace(self, move=None) if self.move else self
        known = self.move if self.move and self.move.to == to else None
        first = known.first_seen_at if known else now.replace(microsecond=0)
        times = min(REDIRECTS_NEEDED, known.times + 1) if known else 1
        move = Move(to=to, first_seen_at=first, times=times)
        if is_feed and move.is_proven(now):
            return replace(self, moved_to=to, move=None)
        return replace(self, move=move)

    def save(self) -> dict[str, JsonValue]:
        """The cursor as JSON; what is not known is left out."""
        saved: dict[str, JsonValue] = {"for": _mark(self.home)}
        texts = {
            "url": self.moved_to,
            "etag": self.etag,
            "last_modified": self.last_modified,
            "body_hash": self.body_hash,
            "keys": self.keys,
        }
        saved |= {name: text for name, text in texts.items() if text}
        if self.ttl:
            saved["ttl_seconds"] = int(self.ttl.total_seconds())
        if self.skip_hours:
            saved["skip_hours"] = list[JsonValue](sorted(self.skip_hours))
        if self.skip_days:
            saved["skip_days"] = list[JsonValue](sorted(self.skip_days))
        if self.move:
            saved["move"] = _save_move(self.move)
        return saved

    @classmethod
    def load(cls, saved: Mapping[str, JsonValue], home: str) -> FeedCursor:
        """What was saved for *home*; an empty cursor if it belongs to another URL."""
        if saved.get("for") != _mark(home):
            return cls(home=home)
        ttl = min(_number(saved.get("ttl_seconds")), _LONGEST_TTL)
        return cls(
            home=home,
            moved_to=_text(saved.get("url")) or None,
            etag=_text(saved.get("etag")),
            last_modified=_text(saved.get("last_modified")),
            body_hash=_text(saved.get("body_hash")),
            keys=_text(saved.get("keys")),
            ttl=timedelta(seconds=ttl) if ttl else None,
            skip_hours=_numbers(saved.get("skip_hours")),
            skip_days=_numbers(saved.get("skip_days")),
            move=_load_move(saved.get("move")),
        )


@lru_cache(maxsize=256)
def _mark(home: str) -> str:
    """What a cursor of this URL is told by; asked for before and after each poll."""
    return fingerprint(home)


def _is_downgrade(old: str, new: str) -> bool:
    return old.startswith("https:") and not new.startswith("https:")


def _save_move(move: Move) -> dict[str, JsonValue]:
    return {"to": move.to, "first_seen": move.first_seen_at.timestamp(), "times": move.times}


def _load_move(saved: JsonValue) -> Move | None:
    if not isinstance(saved, dict):
        return None
    to, first, times = _text(saved.get("to")), saved.get("first_seen"), _number(saved.get("times"))
    if not to or not times or not isinstance(first, int | float):
        return None
    try:
        return Move(to=to, first_seen_at=datetime.fromtimestamp(first, UTC), times=times)
    except (ValueError, OverflowError, OSError):  # no date at all: the move is proven anew
        return None


def _text(value: JsonValue) -> str:
    return value if isinstance(value, str) else ""


def _number(value: JsonValue) -> int:
    return value if isinstance(value, int) else 0


def _numbers(value: JsonValue) -> frozenset[int]:
    return (
        frozenset(n for n in value if isinstance(n, int))
        if isinstance(value, list)
        else frozenset()
    )
