"""What an admin does about people: lets them in, changes their rights, ends what opens doors.

The rules are here, once, for the API and for the pages; whatever is done is written down.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from clawfeed.auth.client_address import Client
from clawfeed.auth.recent_sign_in import require_freshness
from clawfeed.auth.request_actor import hand_of
from clawfeed.auth.sign_in import SignIn
from clawfeed.domain.errors import NotAllowedError, RefusalCode
from clawfeed.domain.ids import ApiKeyId, UserId
from clawfeed.domain.people.user_names import normal_email, normal_name
from clawfeed.domain.people.users import Caller, Role, User
from clawfeed.storage.audit import Action, AuditLog
from clawfeed.storage.database import Database
from clawfeed.storage.people.api_keys import ApiKeys
from clawfeed.storage.people.users import NewUser, UserStore


@dataclass(frozen=True, slots=True, kw_only=True)
class InvitedUser:
    """Somebody who has an account now; *link* sets their password, once, and is shown once."""

    user: User
    link: str = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class PeopleAdmin:
    """Whoever asks is an admin: the door saw to that."""

    database: Database
    signing_in: SignIn
    clock: Callable[[], datetime]

    async def add(
        self, caller: Caller, email: str, name: str | None, client: Client
    ) -> InvitedUser:
        """Make an account; `AlreadyExistsError` if the address has one."""
        require_freshness(caller, self.clock())
        email = normal_email(email)
        new = NewUser(email=email, name=normal_name(name or email.partition("@")[0]))
        user = await UserStore(self.database).add(new, now=self.clock())
        await self._note(caller, Action.USER_ADDED, f"user {user.id}", client)
        return InvitedUser(user=user, link=await self.signing_in.link_for(user))

    async def link_anew(self, caller: Caller, user_id: UserId, client: Client) -> InvitedUser:
        """Another link for who lost theirs, or their password; the one before works no more."""
        require_freshness(caller, self.clock())
        _require_a_person(caller)
        user = (await UserStore(self.database).get(user_id)).user
        await self._note(caller, Action.USER_CHANGED, f"user {user_id}: a new link", client)
        return InvitedUser(user=user, link=await self.signing_in.link_for(user))

    async def change(
        self,
        caller: Caller,
        user_id: UserId,
        client: Client,
        *,
        role: Role | None = None,
        is_disabled: bool | None = None,
    ) -> User:
        """Set what is given; nobody changes themselves, and an admin is always left."""
        require_freshness(caller, self.clock())
        if user_id == caller.user.id:
            raise NotAllowedError(
                "this is your own account: another admin has to change it", RefusalCode.OWN_ACCOUNT
            )
        if role is Role.ADMIN or is_disabled is False:
            _require_a_person(caller)
        user = await UserStore(self.database).change(
            user_id, role=role, is_disabled=is_disabled, now=self.clock()
        )
        what = f"user {user_id}: {user.role}{', disabled' if user.is_disabled else ''}"
        await self._note(caller, Action.USER_CHANGED, what, client)
        return user

    async def sign_out(self, caller: Caller, user_id: UserId, client: Client) -> None:
        """End every session of theirs; no browser of theirs is known any more."""
        leaving = (await UserStore(self.database).get(user_id)).user
        await self.signing_in.logout_everywhere(leaving, client, by=caller.user)

    async def revoke_key(
        self, caller: Caller, owner: UserId, key: ApiKeyId, client: Client
    ) -> None:
        """End a key of *owner* and those it made; anybody else's is not found."""
        hand = hand_of(caller, client, self.clock())
        await ApiKeys(self.database).revoke(key, hand, owner=owner)

    async def _note(self, caller: Caller, action: Action, detail: str, client: Client) -> None:
        hand = hand_of(caller, client, self.clock())
        await AuditLog(self.database).note(hand, action, detail)


def _require_a_person(caller: Caller) -> None:
    """A key makes no admin: it would live on in whoever it let in, with all rights and no end.

    The operator's own may, who could do it by command.
    """
    if caller.key is not None and caller.key.id is not None:
        raise NotAllowedError("a key lets nobody in again and makes nobody an admin: sign in")
