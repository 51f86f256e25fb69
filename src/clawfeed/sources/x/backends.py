"""Reading one source by the X API: with the house's token, or with its owner's own (S001-20)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from http import HTTPStatus

from clawfeed.domain.errors import SourceError
from clawfeed.domain.ids import UserId
from clawfeed.domain.secret import Secret
from clawfeed.domain.sources.source import Fetched, Hints, NotModified, Source
from clawfeed.sources.personal_tokens import PersonalToken, PersonalTokens
from clawfeed.sources.x.api import XApi
from clawfeed.sources.x.endpoints import By, Endpoint
from clawfeed.sources.x.failures import API
from clawfeed.sources.x.read_plan import ReadPlan, XCursor


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiBackend:
    """Reads with one token; *account* is whose it is, if that is known."""

    api: XApi
    endpoint: Endpoint
    token: Secret
    wanted: str
    is_metered: bool
    account: str = ""
    name: str = API

    async def poll(self, source: Source) -> Fetched | NotModified:
        cursor = XCursor.load(source.cursor)
        owner = await self._owner(cursor)
        if self.endpoint.is_of_an_account:
            cursor = replace(cursor, user_id=owner)
        order = ReadPlan(
            endpoint=self.endpoint,
            token=self.token,
            owner=owner,
            cursor=cursor,
            handle=self.wanted if self.endpoint.by is By.HANDLE else "",
            query=self.wanted if self.endpoint.by is By.QUERY else "",
            is_metered=self.is_metered,
            last_read_at=source.last_fetched_at,
        )
        harvest = await self.api.read(order)
        others = {name: value for name, value in source.cursor.items() if name != "is_behind"}
        saved = {**others, **harvest.cursor.save()}
        hints = Hints(wait=harvest.wait)
        if not harvest.drafts and saved == source.cursor:
            return NotModified(hints=hints)
        return Fetched(drafts=harvest.drafts, cursor=saved, hints=hints, warnings=harvest.warnings)

    async def _owner(self, cursor: XCursor) -> str:
        """The id in the path: given, remembered, or asked for once."""
        match self.endpoint.by:
            case By.HANDLE:
                return cursor.user_id or await self.api.user_id(self.wanted, self.token)
            case By.QUERY:
                return ""
            case By.LIST:
                return self.wanted
        if self.account:
            return self.account
        return self.wanted or cursor.user_id or await self.api.own_id(self.token)


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonalBackend:
    """Reads what belongs to *owner*, as them.

    A token that X refuses is replaced once: it may have been ended over there, or its clock may
    differ from ours.
    """

    api: XApi
    endpoint: Endpoint
    tokens: PersonalTokens
    owner: UserId | None
    wanted: str
    is_metered: bool
    name: str = API

    async def poll(self, source: Source) -> Fetched | NotModified:
        token = await self.tokens.token_for(self.owner)
        try:
            return await self._poll(source, token)
        except SourceError as error:
            if error.status != HTTPStatus.UNAUTHORIZED or not token.account:
                raise
        return await self._poll(source, await self.tokens.replaced(self.owner, token))

    async def _poll(self, source: Source, token: PersonalToken) -> Fetched | NotModified:
        cursor = source.cursor
        if token.account and cursor.get("user_id") not in (None, token.account):
            # Another account has other posts: what was read of the first one says nothing.
            cursor = {"for": cursor["for"]} if "for" in cursor else {}
        backend = ApiBackend(
            api=self.api,
            endpoint=self.endpoint,
            token=token.token,
            wanted=self.wanted,
            is_metered=self.is_metered,
            account=token.account,
        )
        return await backend.poll(replace(source, cursor=cursor))
