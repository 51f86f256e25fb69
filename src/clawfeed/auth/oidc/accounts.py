"""Whose account an identity opens: the one it opened before, and else only what was opted into."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from clawfeed.auth.client_address import Client
from clawfeed.auth.oidc.errors import OidcRefusedError
from clawfeed.auth.oidc.id_token import Identity
from clawfeed.domain.errors import AlreadyExistsError, InvalidInputError, RefusalCode
from clawfeed.domain.people.user_names import normal_email, normal_name
from clawfeed.domain.people.users import User
from clawfeed.storage.audit import Action, AuditLog
from clawfeed.storage.database import Database
from clawfeed.storage.people.oidc_identities import Identities
from clawfeed.storage.people.users import IdentityKey, NewUser


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountPolicy:
    """What an identity nobody here knows may do. Nothing, unless the operator says so."""

    may_sign_up: bool = False  # OIDC_SIGN_UP
    may_link: bool = False  # OIDC_LINK_BY_EMAIL


class ProviderAccounts:
    """Finds, links or makes the account an identity opens."""

    def __init__(
        self, policy: AccountPolicy, database: Database, clock: Callable[[], datetime]
    ) -> None:
        self._policy, self._clock = policy, clock
        self._identities, self._audit = Identities(database), AuditLog(database)

    async def account_of(self, identity: Identity, client: Client) -> User:
        """1. known by (issuer, subject); 2. linked by e-mail; 3. new; else `OidcRefusedError`.

        2 and 3 need a verified address and the operator's word. The refusal is always the same.
        """
        key = IdentityKey(issuer=identity.issuer, subject=identity.subject)
        user = await self._identities.find(key)
        email = _verified_email(identity)
        if user is None and email and self._policy.may_link:
            user = await self._link(email, key, client)
        if user is None and email and self._policy.may_sign_up:
            user = await self._sign_up(email, identity, key, client)
        if user is None:
            raise OidcRefusedError(RefusalCode.NO_ACCOUNT, "nobody here has this identity")
        if user.is_disabled:
            raise OidcRefusedError(RefusalCode.NO_ACCOUNT, "the account is disabled")
        return user

    async def _link(self, email: str, key: IdentityKey, client: Client) -> User | None:
        user = await self._identities.link(email, key, now=self._clock())
        if user is not None:
            await self._note(Action.USER_CHANGED, user, f"opened by {key.issuer} now", client)
        return user

    async def _sign_up(
        self, email: str, identity: Identity, key: IdentityKey, client: Client
    ) -> User | None:
        new = NewUser(email=email, name=_name(identity, email))
        try:
            user = await self._identities.add(new, key, now=self._clock())
        except AlreadyExistsError:
            return None  # somebody else's address, and nobody may link it
        await self._note(Action.REGISTERED, user, f"by {key.issuer}", client)
        return user

    async def _note(self, action: Action, user: User, detail: str, client: Client) -> None:
        await self._audit.add(
            action, user_id=user.id, detail=detail, client=str(client), now=self._clock()
        )


def _verified_email(identity: Identity) -> str | None:
    try:
        return normal_email(identity.email) if identity.email else None
    except InvalidInputError:
        return None


def _name(identity: Identity, email: str) -> str:
    try:
        return normal_name(identity.name or "")
    except InvalidInputError:
        return email.partition("@")[0]
