"""Any JSON on the web, read by dotted paths (S001-5)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from http import HTTPStatus

from clawfeed.domain.errors import EgressError
from clawfeed.domain.ids import JsonValue
from clawfeed.domain.sources.source import Fetched, NotModified, Source
from clawfeed.domain.sources.source_secrets import CREDENTIALS
from clawfeed.egress.client import Egress
from clawfeed.egress.request_and_response import Request, check_request
from clawfeed.egress.response_limits import Limits
from clawfeed.egress.url import ParsedUrl, parse
from clawfeed.sources.config.checks import (
    check_choice,
    check_keys,
    check_text,
    describe,
    quote,
    require,
)
from clawfeed.sources.config.credentials import authorization, check_credentials
from clawfeed.sources.config.custom_api import KEYS
from clawfeed.sources.config.secret_headers import HeaderSecrets
from clawfeed.sources.documents.json_values import object_of
from clawfeed.sources.documents.size_limit import warnings_of
from clawfeed.sources.fetchers.conditional_requests import read, remember, remembered
from clawfeed.sources.fetchers.response_outcomes import ask, hints_from
from clawfeed.sources.parsing.pool import ParsePool

LIMITS = Limits(body=2_000_000)
MOST_HEADERS = 20
MOST_FIELDS = 30
_ENDPOINT = re.compile(r"https?://[^\s\x00-\x1f\x7f\ud800-\udfff]{1,2000}", re.IGNORECASE)
_PATH = re.compile(r"[^\x00-\x1f\x7f\ud800-\udfff]{1,200}")
_FIELD = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,49}")
# Ours: a conditional request belongs to what the cursor remembers, not to the config.
_CONDITIONS = frozenset({"if-none-match", "if-modified-since", "if-match", "range"})


class CustomApi:
    """Reads `custom_api{endpoint, headers, items_path, fields}`.

    *environ* holds the variables that headers may use as `${CUSTOM_API_...}` (`header_secrets`).
    """

    def __init__(
        self,
        *,
        egress: Egress,
        parse: ParsePool,
        clock: Callable[[], datetime],
        environ: Mapping[str, str],
        limits: Limits = LIMITS,
    ) -> None:
        self._egress = egress
        self._parse = parse
        self._clock = clock
        self._secrets = HeaderSecrets(environ)
        self._limits = limits

    def check(self, config: Mapping[str, JsonValue]) -> list[str]:
        return [
            *check_keys(config, KEYS),
            *check_text(config, "endpoint", _ENDPOINT, "an http(s) URL", required=True),
            *_check_url(config.get("endpoint")),
            *check_text(config, "items_path", _PATH, "a dotted path, such as data.items"),
            *check_choice(config, "method", ("GET",)),
            *_check_fields(config.get("fields")),
            *self._check_headers(config.get("headers"), _target(config.get("endpoint"))),
            *check_credentials(config),
            *_check_one_authorization(config),
        ]

    def place(self, config: Mapping[str, JsonValue]) -> str:
        target = _target(config.get("endpoint"))
        return target.href if target else ""

    async def fetch(self, source: Source) -> Fetched | NotModified:
        require(self, source.config)
        now = self._clock()
        response = await ask(self._egress, self._request(source), now=now)
        hints = hints_from(response, now=now)
        if response.status == HTTPStatus.NOT_MODIFIED:
            return NotModified(hints=hints)
        options: dict[str, JsonValue] = {
            "items_path": str(source.config.get("items_path") or ""),
            "fields": object_of(source.config.get("fields")),
            "content_type": response.headers.get("content-type", ""),
            "base_url": response.url,
            "now": now.isoformat(),
        }
        reading = await read(self._parse, "custom_api", response.body, options)
        dropped = f"{reading.dropped} items without title and URL, or beyond the thousandth"
        cut = warnings_of(reading.shortened)
        return Fetched(
            drafts=reading.drafts,
            cursor=remember(source, response),
            hints=hints,
            warnings=(dropped, *cut) if reading.dropped else cut,
        )

    def _request(self, source: Source) -> Request:
        endpoint = str(source.config["endpoint"])
        target = parse(endpoint)
        headers = {
            name: self._secrets.resolve(str(value), target)
            for name, value in object_of(source.config.get("headers")).items()
        }
        # Header names have no case: whoever sets one of ours must not get it twice.
        named = {name.lower() for name in headers}
        defaults = {} if "accept" in named else {"Accept": "application/json"}
        known = authorization(source.config, "endpoint", endpoint)
        return Request(
            url=endpoint,
            headers={**defaults, **known, **headers, **remembered(source)},
            limits=self._limits,
        )

    def _check_headers(self, headers: JsonValue, target: ParsedUrl | None) -> Iterator[str]:
        if headers is None:
            return
        if not isinstance(headers, dict) or len(headers) > MOST_HEADERS:
            yield (
                f"headers must be an object of at most {MOST_HEADERS} names and values, "
                f"not {describe(headers)}."
            )
            return
        for name, value in headers.items():
            yield from self._check_header(name, value, target)

    def _check_header(self, name: str, value: JsonValue, target: ParsedUrl | None) -> Iterator[str]:
        if not isinstance(value, str):
            yield f"headers: the value of {quote(name)} must be text, not {describe(value)}."
            return
        if name.lower() in _CONDITIONS:
            yield f"headers: {name} is set by ClawFeed itself."
        try:
            check_request(Request(url="", headers={name: value}))
        except EgressError as error:
            yield f"headers: {error.detail}"
            return
        for problem in self._secrets.problems(value, target) if target else ():
            yield f"headers: {name} {problem}"


def _target(endpoint: JsonValue) -> ParsedUrl | None:
    try:
        return parse(endpoint) if isinstance(endpoint, str) else None
    except EgressError:
        return None


def _check_url(endpoint: JsonValue) -> Iterator[str]:
    """What egress will say of the URL's form. Whether its host may be asked is for the poll."""
    if not isinstance(endpoint, str) or not _ENDPOINT.fullmatch(endpoint):
        return
    try:
        parse(endpoint)
    except EgressError as error:
        yield f"endpoint: {error.detail}"


def _check_one_authorization(config: Mapping[str, JsonValue]) -> Iterator[str]:
    headers = config.get("headers")
    named = {name.lower() for name in headers} if isinstance(headers, dict) else set()
    if "authorization" in named and any(config.get(key) for key in CREDENTIALS):
        yield "Give username and password, or a header Authorization, not both."


def _check_fields(fields: JsonValue) -> Iterator[str]:
    if fields is None:
        return
    if not isinstance(fields, dict) or len(fields) > MOST_FIELDS:
        yield (
            f"fields must be an object of at most {MOST_FIELDS} names and dotted paths, "
            f"not {describe(fields)}."
        )
        return
    for name, path in fields.items():
        if not _FIELD.fullmatch(name):
            yield f"fields: {quote(name)} is no name for a field."
        if not isinstance(path, str) or not _PATH.fullmatch(path):
            yield f"fields: {quote(name)} must be a dotted path, not {describe(path)}."
