"""Making a key for oneself: it never opens more, nor for longer, than the hand that makes it."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from clawfeed.auth.tokens import new_key
from clawfeed.domain.errors import NotAllowedError
from clawfeed.domain.ids import ApiKeyId
from clawfeed.domain.people.people import Caller, Scope
from clawfeed.domain.people.user_names import normal_name
from clawfeed.storage.people.api_keys import ApiKeys, NewKey

USUAL_LIFE: Final = timedelta(days=365)
LONGEST_DAYS: Final = 3_650


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeKey:
    """*text* is shown once and kept nowhere; by *key_id* the row is found."""

    id: ApiKeyId
    key_id: str
    text: str = field(repr=False)


async def make_own_key(
    keys: ApiKeys, caller: Caller, name: str, scope: Scope, *, days: int | None, now: datetime
) -> MadeKey:
    """A new key of *caller*; `NotAllowedError` for one that goes further than they may."""
    if not caller.may(scope):
        raise NotAllowedError(
            f"you may not make a key that may {scope}: you may not do it yourself"
        )
    fresh = new_key()
    new = NewKey(
        user_id=caller.user.id,
        name=normal_name(name),
        key_id=fresh.key_id,
        key_hash=fresh.key_hash,
        last4=fresh.last4,
        scope=scope,
        expires_at=_end(caller, days, now),
        made_with=caller.key,
    )
    return MadeKey(id=await keys.add(new, now=now), key_id=fresh.key_id, text=fresh.text)


def _end(caller: Caller, days: int | None, now: datetime) -> datetime:
    """When the new key ends: never after the key that makes it, which else would live on in it."""
    wanted = now + (USUAL_LIFE if days is None else timedelta(days=days))
    last = caller.key.expires_at if caller.key else None
    if last is None or wanted <= last:
        return wanted
    if days is not None:
        raise NotAllowedError(
            f"days: the key you use ends on {last:%Y-%m-%d}, and one it makes not later; "
            "ask for fewer days, or sign in"
        )
    return last
