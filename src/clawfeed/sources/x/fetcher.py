"""Twitter/X (S001-8): accounts, lists, searches (S001-21), what belongs to the reader.

There are several back ends. Order: the X API if a token for it is set, then the bridges as
configured. An error of one leads to the next; a read budget that is used up is such an error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from clawfeed.domain.errors import SourceError
from clawfeed.domain.ids import JsonValue
from clawfeed.domain.schedule.read_budget import FEWEST_POSTS
from clawfeed.domain.secret import Secret
from clawfeed.domain.sources.item import fingerprint
from clawfeed.domain.sources.source import Fetched, NotModified, Source
from clawfeed.egress.client import Egress
from clawfeed.egress.response_limits import Limits
from clawfeed.sources.config.checks import require
from clawfeed.sources.fetchers.feed import Feed
from clawfeed.sources.paid_reads import ReadBudget
from clawfeed.sources.parsing.pool import ParsePool
from clawfeed.sources.personal_tokens import PersonalTokens
from clawfeed.sources.x.api import X_LIMITS, XApi
from clawfeed.sources.x.backends import ApiBackend, PersonalBackend
from clawfeed.sources.x.bridges import as_posts, bridge_urls
from clawfeed.sources.x.config import check_config
from clawfeed.sources.x.endpoints import By, Endpoint
from clawfeed.sources.x.failures import one_for_all


@dataclass(frozen=True, slots=True, kw_only=True)
class TwitterConfig:
    """What the operator has set up. A bridge's template may hold an access key: not shown."""

    api_base_url: str = "https://api.x.com"
    bearer_token: Secret | None = None
    user_token: Secret | None = None
    client_id: str | None = None
    bridges: tuple[str, ...] = field(default=(), repr=False)

    def token_for(self, endpoint: Endpoint) -> Secret | None:
        """The house's token for this type; a user's opens everything, an app's what is public."""
        if endpoint.is_personal:
            return self.user_token
        return self.bearer_token or self.user_token

    def has_api(self, endpoint: Endpoint) -> bool:
        """Whether the API can be asked; for one's own, people may bring a token each (S001-20)."""
        return bool(self.token_for(endpoint) or (endpoint.is_personal and self.client_id))

    def serves(self, endpoint: Endpoint) -> bool:
        return self.has_api(endpoint) or self._has_bridge(endpoint)

    def is_metered(self, endpoint: Endpoint) -> bool:
        """Whether the API's reads are all there is: no bridge takes over when they are spent."""
        return self.has_api(endpoint) and not self._has_bridge(endpoint)

    def _has_bridge(self, endpoint: Endpoint) -> bool:
        return bool(bridge_urls(self.bridges, _named(endpoint, "1")))


def _named(endpoint: Endpoint, wanted: str) -> dict[str, str]:
    """What a bridge's template is filled with; the reader's own has no name over there."""
    return {"type": endpoint.bridged_as} | (
        {} if endpoint.is_personal else {endpoint.by.value: wanted}
    )


def least_costs(endpoints: Iterable[Endpoint], settings: TwitterConfig) -> dict[str, int]:
    """What a poll costs that brings nothing, for the types that only the API reads."""
    return {
        endpoint.name: 0 if endpoint.takes_since_id else FEWEST_POSTS
        for endpoint in endpoints
        if settings.is_metered(endpoint)
    }


class Twitter:
    """Reads one of the types.

    Config: the key that its type is named by (`By`); for the reader's own nothing, or
    `{user_id}` to save a question.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        egress: Egress,
        parse: ParsePool,
        clock: Callable[[], datetime],
        settings: TwitterConfig,
        budget: ReadBudget,
        limits: Limits = X_LIMITS,
        personal: PersonalTokens | None = None,
    ) -> None:
        self._endpoint = endpoint
        self._personal = personal
        self._settings = settings
        self._feed = Feed(egress=egress, parse=parse, clock=clock, limits=limits)
        self._api = XApi(
            egress=egress,
            clock=clock,
            base_url=settings.api_base_url,
            budget=budget,
            limits=limits,
        )

    def check(self, config: Mapping[str, JsonValue]) -> list[str]:
        return check_config(self._endpoint.by, config)

    def place(self, config: Mapping[str, JsonValue]) -> str:
        """Where the only back end is; "" with several.

        Whoever waits for one host's turn would not ask the others meanwhile (S001-8). Egress keeps
        the manners at each of them anyway.
        """
        if self.check(config):
            return ""
        places = self._bridges(self._wanted(config))
        if self._settings.has_api(self._endpoint):
            places = [self._settings.api_base_url, *places]
        return places[0] if len(places) == 1 else ""

    async def fetch(self, source: Source) -> Fetched | NotModified:
        """The first back end that answers decides; the others' failures become warnings."""
        require(self, source.config)
        wanted = self._wanted(source.config)
        name = fingerprint(wanted)
        cursor = source.cursor if source.cursor.get("for") == name else {"for": name}
        failures: list[tuple[str, SourceError]] = []
        for backend in await self._backends(source, wanted):
            try:
                result = await backend.poll(replace(source, cursor=cursor))
            except SourceError as error:
                failures.append((backend.name, error))
                continue
            return _with_warnings(result, failures)
        raise one_for_all(failures)

    def _wanted(self, config: Mapping[str, JsonValue]) -> str:
        """The handle without its "@", the list, search or account; "" for the reader's own."""
        value = config.get(self._endpoint.by)
        text = "" if value is None else str(value)
        return text.removeprefix("@") if self._endpoint.by is By.HANDLE else text.strip()

    async def _backends(self, source: Source, wanted: str) -> list[_Backend]:
        """Who is asked, in order. A bridge shows the operator's own X, so that is theirs alone."""
        owner, tokens = source.created_by, self._personal
        if tokens is None or not self._endpoint.is_personal:
            return [*self._by_house(wanted), *self._by_bridges(wanted)]
        bridges = self._by_bridges(wanted) if await tokens.is_house_of(owner) else []
        if not self._settings.has_api(self._endpoint):
            return [*bridges]
        as_owner = PersonalBackend(
            api=self._api,
            endpoint=self._endpoint,
            tokens=tokens,
            owner=owner,
            wanted=wanted,
            is_metered=self._settings.is_metered(self._endpoint),
        )
        return [as_owner, *bridges]

    def _by_house(self, wanted: str) -> list[ApiBackend]:
        token = self._settings.token_for(self._endpoint)
        if token is None:
            return []
        is_metered = self._settings.is_metered(self._endpoint)
        return [
            ApiBackend(
                api=self._api,
                endpoint=self._endpoint,
                token=token,
                wanted=wanted,
                is_metered=is_metered,
            )
        ]

    def _by_bridges(self, wanted: str) -> list[_BridgeBackend]:
        return [
            _BridgeBackend(feed=self._feed, url=url, number=number)
            for number, url in enumerate(self._bridges(wanted), start=1)
        ]

    def _bridges(self, wanted: str) -> list[str]:
        return bridge_urls(self._settings.bridges, _named(self._endpoint, wanted))


@dataclass(frozen=True, slots=True, kw_only=True)
class _BridgeBackend:
    feed: Feed
    url: str
    number: int

    @property
    def name(self) -> str:
        return f"bridge {self.number}"

    async def poll(self, source: Source) -> Fetched | NotModified:
        """The bridge's feed; each has a cursor of its own inside ours."""
        known = source.cursor.get("bridges")
        bridges = known if isinstance(known, dict) else {}
        key = fingerprint(self.url)[:12]
        own = bridges.get(key)
        as_feed = replace(
            source, config={"url": self.url}, cursor=own if isinstance(own, dict) else {}
        )
        result = as_posts(await self.feed.fetch(as_feed))
        hints = replace(result.hints, moved_to=None)
        if isinstance(result, NotModified):
            return NotModified(hints=hints)
        cursor = {**source.cursor, "bridges": {**bridges, key: dict(result.cursor)}}
        return replace(result, cursor=cursor, hints=hints)


_Backend = ApiBackend | PersonalBackend | _BridgeBackend


def _with_warnings(
    result: Fetched | NotModified, failures: list[tuple[str, SourceError]]
) -> Fetched | NotModified:
    if isinstance(result, NotModified) or not failures:
        return result
    warnings = tuple(f"{name}: {error.detail}" for name, error in failures)
    return replace(result, warnings=(*warnings, *result.warnings))


def what_is_missing(endpoint: Endpoint) -> str:
    """What an operator would have to set, in a sentence."""
    token = "X_CLIENT_ID, X_USER_TOKEN" if endpoint.is_personal else "X_BEARER_TOKEN"
    return f"{endpoint.name} needs {token} or a bridge for it in X_BRIDGES"
