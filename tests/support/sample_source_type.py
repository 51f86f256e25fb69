"""A source type that ClawFeed does not have: its fetcher, its parser and its descriptor.

One file, as CONTRIBUTING promises. `tests/app/test_new_source_type.py` hands it to the wiring.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from clawfeed.domain.ids import JsonValue
from clawfeed.domain.secret import Secret
from clawfeed.domain.settings.value_kinds import SECRET, WEB_ADDRESS
from clawfeed.domain.sources.item import Draft
from clawfeed.domain.sources.source import Fetched, Source
from clawfeed.domain.sources.type_facts import NameMark
from clawfeed.sources.config.checks import check_keys, check_text, require
from clawfeed.sources.documents.errors import UnreadableError
from clawfeed.sources.documents.parsed_drafts import ParsedDrafts
from clawfeed.sources.source_types.source_type import (
    FetcherKit,
    Recognised,
    Shorthand,
    SourceType,
)
from clawfeed.sources.type_settings import type_setting

if TYPE_CHECKING:
    from clawfeed.sources.fetcher import Fetcher

KEYS = ("harbour", "unit")
_HARBOUR = re.compile(r"~?[a-z]{2,30}")


BASE_URL: Final = type_setting(
    "TIDES_BASE_URL", WEB_ADDRESS, "https://tides.example", "Where the tables of tides live."
)
API_KEY: Final = type_setting("TIDES_API_KEY", SECRET, None, "The key of that site, if it asks.")


@dataclass(frozen=True, slots=True)
class Tides:
    """Reads `tides{harbour}` from the site at *base_url*, which may ask for a key."""

    kit: FetcherKit
    base_url: str
    api_key: Secret | None

    def check(self, config: Mapping[str, JsonValue]) -> list[str]:
        harbour = check_text(config, "harbour", _HARBOUR, "the name of a harbour", required=True)
        return [*harbour, *check_keys(config, KEYS)]

    def place(self, _: Mapping[str, JsonValue]) -> str:
        return self.base_url

    async def fetch(self, source: Source) -> Fetched:
        from clawfeed.egress.request_and_response import Request
        from clawfeed.sources.fetchers.conditional_requests import read
        from clawfeed.sources.fetchers.response_outcomes import ask

        require(self, source.config)
        url = f"{self.base_url}?harbour={source.config['harbour']}"
        headers = {"Authorization": f"Bearer {self.api_key.reveal()}"} if self.api_key else {}
        request = Request(url=url, headers=headers)
        response = await ask(self.kit.egress, request, now=self.kit.clock())
        reading = await read(self.kit.parse, "tide_table", response.body, {"url": url})
        return Fetched(drafts=reading.drafts)


def parse_table(body: bytes, options: Mapping[str, Any]) -> ParsedDrafts:
    """One item per line; runs in a parse worker."""
    import os

    lines = [line.strip() for line in body.decode().splitlines() if line.strip()]
    if not lines:
        raise UnreadableError("an empty table")
    drafts = [
        Draft(title=line, url=f"{options['url']}#{line}", metadata={"pid": os.getpid()})
        for line in lines
    ]
    return ParsedDrafts(drafts=tuple(drafts))


def _address(path: list[str], _query: Mapping[str, str]) -> Recognised | None:
    return Recognised({"harbour": path[0]}, f"~{path[0]}") if len(path) == 1 else None


def _word(text: str) -> Recognised | None:
    name = text.removeprefix("~")
    return Recognised({"harbour": name}, text) if _HARBOUR.fullmatch(name) else None


def _build(kit: FetcherKit) -> Fetcher:
    return Tides(kit, kit.settings[BASE_URL], kit.settings.get(API_KEY))


TIDES: Final = SourceType(
    name="tides",
    aliases=("tide_tables",),
    minutes=45,
    is_hot_list=True,
    keys=KEYS,
    settings=(BASE_URL, API_KEY),
    main_key="harbour",
    defaults={"unit": "m"},
    caseless=frozenset({"harbour"}),
    mark=NameMark(
        prefix="~",
        in_text=re.compile(r"~([a-z]+)"),
        bare=lambda text: text.removeprefix("~"),
        is_stored_bare=True,
    ),
    documents={"tide_table": "tests.support.sample_source_type:parse_table"},
    addresses={"tides.example": _address},
    shorthand=Shorthand(prefix="~", read=_word, expected='a harbour is "~" and its name'),
    probe={"harbour": "anywhere"},
    build=_build,
)
TYPES: Final = (TIDES,)
