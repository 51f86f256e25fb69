"""Signing in and out: every way in ends in a new session, and says no in the same words."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import NoReturn

from clawfeed.auth.authorization import unauthorized
from clawfeed.auth.client_address import Client
from clawfeed.auth.limits.login_throttle import LoginThrottle, SerialQueue, too_many
from clawfeed.auth.password_hashing import Passwords
from clawfeed.auth.tokens import hash_of, new_token, setup_link
from clawfeed.domain.errors import InvalidInputError, NotAllowedError, RefusalCode
from clawfeed.domain.people.login_throttle import NO_WAIT
from clawfeed.domain.people.passwords import require_strength
from clawfeed.domain.people.user_names import normal_email, normal_name
from clawfeed.domain.people.users import Caller, User
from clawfeed.storage.audit import Action, AuditLog
from clawfeed.storage.database import Database
from clawfeed.storage.people.known_devices import KnownDevices
from clawfeed.storage.people.login_throttles import (
    ThrottleCounter,
    Throttles,
    account_counter,
    address_counter,
    device_counter,
    person_counter,
)
from clawfeed.storage.people.one_time_links import OneTimeLinks, PasswordSetup
from clawfeed.storage.people.sessions import Sessions
from clawfeed.storage.people.users import LOCAL_ADMIN, Account, NewUser, UserStore

log = logging.getLogger(__name__)

WRONG_CREDENTIALS = "the e-mail address or the password is wrong"


@dataclass(frozen=True, slots=True, kw_only=True)
class SignInConfig:
    """*may_register* lets strangers make an account; off unless the operator wants it."""

    base_url: str
    may_register: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class NewSession:
    """Somebody is in. *token* and *device* go into their cookies and nowhere else.

    By *device* the browser is known later, when nobody is signed in with it any more. *is_first*:
    this person was never signed in before.
    """

    user: User
    token: str = field(repr=False)
    device: str = field(repr=False)
    is_first: bool = False


async def _nothing(_user: User) -> None:
    """For a house without default subscriptions."""


class SignIn:
    """Everything that opens, ends or renews sessions.

    *on_first_login* is called before somebody's first session opens, until it succeeds once; it
    must bear being called twice.
    """

    def __init__(
        self,
        config: SignInConfig,
        database: Database,
        clock: Callable[[], datetime],
        passwords: Passwords,
        on_first_login: Callable[[User], Awaitable[None]] = _nothing,
    ) -> None:
        self._config, self._clock = config, clock
        self._passwords, self._on_first_login = passwords, on_first_login
        self._people, self._sessions = UserStore(database), Sessions(database)
        self._links, self._audit = OneTimeLinks(database), AuditLog(database)
        self._devices, self._slow_lane = KnownDevices(database), SerialQueue()
        self._guesses = LoginThrottle(throttles=Throttles(database), clock=clock)

    async def login(
        self,
        email: str,
        password: str,
        client: Client,
        *,
        old_token: str | None = None,
        device: str | None = None,
    ) -> NewSession:
        """A new session; ends the one this browser had. 401 in one wording, 429 when braked.

        A browser that this person signed in with before, *device*, counts its own slips alone:
        nobody is locked out by what others try elsewhere.
        """
        account = await self._find(email)
        known = await self._known_device(account, device)
        own = known or account_counter(email)
        place = address_counter(client.address)
        waiting = NO_WAIT if known else await self._guesses.count(place)
        usable = account if account and not account.user.is_disabled else None
        known_hash = usable.password_hash if usable else None
        # Who waits in line has left no row yet: a flood of made-up addresses is no flood of rows.
        async with self._slow_lane.turn(waiting):
            await self._guesses.enter(own)
            is_right = await self._passwords.verify(known_hash, password)
        if not is_right or usable is None:
            await self._refuse(account, client, waiting)
        # Only what was counted is taken back.
        await self._guesses.succeed(*([own] if known or waiting > NO_WAIT else [own, place]))
        await self._renew_hash(usable, password)
        return await self.sign_in_known(usable.user, client, old_token=old_token, device=device)

    async def _known_device(
        self, account: Account | None, device: str | None
    ) -> ThrottleCounter | None:
        """The counter of a browser in which this person signed in before."""
        if account is None or device is None:
            return None
        token_hash = hash_of(device)
        is_known = await self._devices.knows(token_hash, account.user.id, now=self._clock())
        return device_counter(token_hash) if is_known else None

    async def _refuse(
        self, account: Account | None, client: Client, waiting: timedelta
    ) -> NoReturn:
        if waiting > NO_WAIT:
            # Its first twenty are in the audit log; nobody fills it at will.
            raise too_many(waiting)
        await self._note(Action.SIGN_IN_FAILED, account.user if account else None, client)
        raise unauthorized(WRONG_CREDENTIALS, RefusalCode.WRONG_CREDENTIALS)

    async def sign_in_known(
        self,
        user: User,
        client: Client,
        *,
        old_token: str | None = None,
        device: str | None = None,
    ) -> NewSession:
        """A new session for somebody who has proved who they are; 401 if they are disabled."""
        account = await self._people.get(user.id)
        if account.user.is_disabled:
            raise unauthorized(WRONG_CREDENTIALS, RefusalCode.WRONG_CREDENTIALS)
        now = self._clock()
        is_first = account.first_login_at is None
        if is_first:
            await self._on_first_login(account.user)
            await self._people.mark_first_login(user.id, now=now)
        if old_token:
            await self._sessions.end(hash_of(old_token))
        token, new_device = new_token(), new_token()
        await self._sessions.add(user.id, hash_of(token), client=str(client), now=now)
        # A new one each time: nobody plants a name by which they know the browser later.
        before = hash_of(device) if device else None
        await self._devices.remember(user.id, hash_of(new_device), before=before, now=now)
        await self._note(Action.SIGNED_IN, account.user, client)
        return NewSession(user=account.user, token=token, device=new_device, is_first=is_first)

    async def logout(self, token: str | None, client: Client) -> None:
        """End the session; one that is over already is no error."""
        user_id = await self._sessions.end(hash_of(token)) if token else None
        if user_id is not None:
            await self._audit.add(
                Action.SIGNED_OUT, user_id=user_id, client=str(client), now=self._clock()
            )

    async def logout_everywhere(
        self, user: User, client: Client, *, by: User | None = None
    ) -> None:
        """End every session of this person, this one included; no browser is known any more.

        *by* is the admin who wants it, if it is not the person.
        """
        await self._sessions.end_all(user.id)
        await self._devices.forget_all(user.id)
        detail = f"user {user.id}" if by else ""
        await self._note(Action.SIGNED_OUT_EVERYWHERE, by or user, client, detail)

    async def change_password(self, caller: Caller, current: str, new: str, client: Client) -> None:
        """Set a new password; every other session of this person ends.

        `NotAllowedError` if *current* is not theirs, `InvalidInputError` if *new* is weak.
        """
        account = await self._people.get(caller.user.id)
        # By the person alone: what strangers try keeps nobody from a better password.
        counter = person_counter(account.user.id)
        await self._guesses.enter(counter)
        if not await self._passwords.verify(account.password_hash, current):
            raise NotAllowedError("the current password is wrong", RefusalCode.WRONG_PASSWORD)
        await self._guesses.succeed(counter)
        hashed = await self._hash(new, email=account.user.email)
        await self._people.set_password(account.user.id, hashed, now=self._clock())
        await self._sessions.end_all(account.user.id, but=caller.session)
        await self._note(Action.PASSWORD_CHANGED, account.user, client)

    async def link_owner(self, token: str) -> User:
        """Whose password a one-time link sets; `NotFoundError` if it is spent.

        No brake: nobody guesses 256 random bits, and who has the link must get in.
        """
        return await self._links.find(hash_of(token), now=self._clock())

    async def setup(
        self,
        token: str,
        password: str,
        client: Client,
        *,
        email: str | None = None,
        name: str | None = None,
        old_token: str | None = None,
        device: str | None = None,
    ) -> NewSession:
        """Spend a one-time link: the password is set, older sessions end, a new one opens.

        Only the first admin, who was made without an address, may choose one.
        """
        owner = await self.link_owner(token)
        email = normal_email(email) if email else None
        if email and owner.email not in {email, LOCAL_ADMIN}:
            sentence = f"this link is for {owner.email}: leave the address as it is"
            raise InvalidInputError(sentence, RefusalCode.LINK_OF_ANOTHER, email=owner.email)
        chosen = PasswordSetup(
            password_hash=await self._hash(password, email=email or owner.email),
            email=email,
            name=normal_name(name) if name else None,
        )
        user = await self._links.use(hash_of(token), chosen, now=self._clock())
        await self._note(Action.PASSWORD_SET, user, client)
        return await self.sign_in_known(user, client, old_token=old_token, device=device)

    async def register(
        self, email: str, password: str, name: str | None, client: Client
    ) -> NewSession:
        """A new account and its first session; `NotAllowedError` unless registration is on."""
        if not self._config.may_register:
            raise NotAllowedError(
                "this ClawFeed takes no registrations: ask its admin for a link",
                RefusalCode.REGISTRATION_CLOSED,
            )
        # Counted and not taken back: an address makes twenty accounts a minute at most.
        await self._guesses.enter(address_counter(client.address, "registration"))
        email = normal_email(email)
        new = NewUser(
            email=email,
            name=normal_name(name or email.partition("@")[0]),
            password_hash=await self._hash(password, email=email),
        )
        user = await self._people.add(new, now=self._clock())
        await self._note(Action.REGISTERED, user, client)
        return await self.sign_in_known(user, client)

    async def link_for(self, user: User) -> str:
        """A fresh one-time link; the person's older one stops working."""
        token = new_token()
        await self._links.add(user.id, hash_of(token), now=self._clock())
        return setup_link(self._config.base_url, token)

    async def first_admin_link(self) -> str | None:
        """A fresh link for the first admin; None once an admin can sign in.

        To be asked at every start: a new link replaces the one that was shown before.
        """
        if await self._people.has_admin_who_can_sign_in():
            return None
        return await self.link_for(await self._people.local_admin(now=self._clock()))

    async def _find(self, email: str) -> Account | None:
        try:
            return await self._people.find(normal_email(email))
        except InvalidInputError:
            return None

    async def _hash(self, password: str, *, email: str) -> str:
        require_strength(password, email=email)
        return await self._passwords.hash(password)

    async def _renew_hash(self, account: Account, password: str) -> None:
        """A hash made with last year's costs is made anew while the password is at hand."""
        if account.password_hash and self._passwords.is_outdated(account.password_hash):
            renewed = await self._passwords.hash(password)
            await self._people.set_password(account.user.id, renewed, now=self._clock())

    async def _note(
        self, action: Action, user: User | None, client: Client, detail: str = ""
    ) -> None:
        await self._audit.add(
            action,
            user_id=user.id if user else None,
            detail=detail,
            client=str(client),
            now=self._clock(),
        )
        # The address and the outcome, never what was typed.
        log.info(str(action), extra={"user": user.id if user else None, "from": client.address})
