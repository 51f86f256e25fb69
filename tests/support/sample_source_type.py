"""A source type that ClawFeed does not have: its fetcher, its parser and its descriptor.

One file, as CONTRIBUTING promises. `tests/app/test_new_source_type.py` hands it to the wiring.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from clawfeed.domain.ids import JsonValue
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

if TYPE_CHECKING:
    from clawfeed.sources.fetcher import Fetcher

KEYS = ("harbour", "unit")
_HARBOUR = re.compile(r"~?[a-z]{2,30}")


@dataclass(frozen=True, slots=True)
class Tides:
    """Reads `tides{harbour}` from the site at *base_url*."""

    kit: FetcherKit
    base_url: str

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
        response = await ask(self.kit.egress, Request(url=url), now=self.kit.clock())
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


def tides(base_url: str) -> SourceType:
    """The descriptor; a real one would take its address from the settings in the kit."""

    def build(kit: FetcherKit) -> Fetcher:
        return Tides(kit, base_url)

    return SourceType(
        name="tides",
        aliases=("tide_tables",),
        minutes=45,
        is_hot_list=True,
        keys=KEYS,
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
        build=build,
    )
