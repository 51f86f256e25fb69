"""Keys and feed tokens: made and ended here alone, for the API, the pages and the commands.

Who did it is written down with it. A key never opens more, nor for longer, than the key it was
made with.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from clawfeed.auth.tokens import hash_of, new_key, new_token
from clawfeed.domain.errors import NotAllowedError, RefusalCode
from clawfeed.domain.ids import ApiKeyId, FeedTokenId, UserId
from clawfeed.domain.people.user_names import normal_name
from clawfeed.domain.people.users import Caller, Scope, UsedKey, User
from clawfeed.storage.audit import Hand
from clawfeed.storage.database import Database
from clawfeed.storage.people.api_keys import ApiKeys, NewKey
from clawfeed.storage.people.feed_tokens import FeedToken, FeedTokens

DEFAULT_LIFE: Final = timedelta(days=365)
LONGEST_DAYS: Final = 3_650


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeKey:
    """*text* is shown once and kept nowhere; by *key_id* the row is found."""

    id: ApiKeyId
    key_id: str
    text: str = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeToken:
    """*text* is shown once and kept nowhere."""

    stored: FeedToken
    text: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class KeysAndTokens:
    """What opens doors without a password. *owner*: anybody else's is not found."""

    database: Database

    async def make_own_key(
        self, caller: Caller, hand: Hand, name: str, scope: Scope, *, days: int | None
    ) -> MadeKey:
        """A new key of *caller*; `NotAllowedError` for one that goes further than they may."""
        if not caller.may(scope):
            raise NotAllowedError(
                f"you may not make a key that may {scope}: you may not do it yourself",
                RefusalCode.KEY_TOO_STRONG,
            )
        end = _end(caller, days, hand.now)
        return await self._make(
            caller.user, hand, name, scope, expires_at=end, made_with=caller.key
        )

    async def make_key(
        self, owner: User, hand: Hand, name: str, scope: Scope, *, days: int
    ) -> MadeKey:
        """A key of *owner*, by whoever may run commands; an admin's for admins alone."""
        if scope is Scope.ADMIN and not owner.is_admin:
            raise NotAllowedError(f"{owner.email} is no admin, so no key of theirs can be")
        end = hand.now + timedelta(days=days)
        return await self._make(owner, hand, name, scope, expires_at=end)

    async def revoke_key(self, key: ApiKeyId, hand: Hand, *, owner: UserId | None = None) -> None:
        """End a key, and those it made."""
        await ApiKeys(self.database).revoke(key, hand, owner=owner)

    async def make_token(self, owner: UserId, hand: Hand) -> MadeToken:
        """A secret address of the feeds of *owner*."""
        text = new_token()
        stored = await FeedTokens(self.database).add(owner, hash_of(text), hand)
        return MadeToken(stored=stored, text=text)

    async def revoke_token(
        self, token: FeedTokenId, hand: Hand, *, owner: UserId | None = None
    ) -> None:
        """End a token: its feeds are gone at once."""
        await FeedTokens(self.database).revoke(token, hand, owner=owner)

    async def _make(
        self,
        owner: User,
        hand: Hand,
        name: str,
        scope: Scope,
        *,
        expires_at: datetime,
        made_with: UsedKey | None = None,
    ) -> MadeKey:
        fresh = new_key()
        new = NewKey(
            user_id=owner.id,
            name=normal_name(name),
            key_id=fresh.key_id,
            key_hash=fresh.key_hash,
            last4=fresh.last4,
            scope=scope,
            expires_at=expires_at,
            made_with=made_with,
        )
        key_id = await ApiKeys(self.database).add(new, hand)
        return MadeKey(id=key_id, key_id=fresh.key_id, text=fresh.text)


def _end(caller: Caller, days: int | None, now: datetime) -> datetime:
    """When the new key ends: never after the key that makes it, which else would live on in it."""
    wanted = now + (DEFAULT_LIFE if days is None else timedelta(days=days))
    last = caller.key.expires_at if caller.key else None
    if last is None or wanted <= last:
        return wanted
    if days is not None:
        raise NotAllowedError(
            f"days: the key you use ends on {last:%Y-%m-%d}, and one it makes not later; "
            "ask for fewer days, or sign in",
            RefusalCode.KEY_TOO_LONG,
            last=f"{last:%Y-%m-%d}",
        )
    return last
