"""What fetchers of web services share: validators kept in the cursor, bodies read by a worker."""

from __future__ import annotations

from collections.abc import Mapping

import orjson

from clawfeed.domain.ids import JsonValue
from clawfeed.domain.sources.item import fingerprint
from clawfeed.domain.sources.source import Source
from clawfeed.egress.request_and_response import Response
from clawfeed.sources.documents.parsed_drafts import ParsedDrafts
from clawfeed.sources.fetchers.response_outcomes import conditional, validator
from clawfeed.sources.parsing.pool import ParsePool


async def read(
    parse: ParsePool, kind: str, body: bytes, options: Mapping[str, JsonValue]
) -> ParsedDrafts:
    """The drafts in *body* to the parser of this *kind*; `SourceError` if it cannot be read."""
    return await parse.run(kind, body, options, ParsedDrafts)


def remembered(source: Source) -> dict[str, str]:
    """The headers that let the server answer "not modified".

    None after a change of config: what did not change over there may read differently now.
    """
    cursor = source.cursor
    if cursor.get("config") != _config_name(source):
        return {}
    return conditional(cursor.get("etag"), cursor.get("last_modified"))


def remember(source: Source, response: Response) -> dict[str, JsonValue]:
    """The cursor with which `remembered` asks next time."""
    cursor: dict[str, JsonValue] = {"config": _config_name(source)}
    for key, header in (("etag", "etag"), ("last_modified", "last-modified")):
        if value := validator(response, header):
            cursor[key] = value
    return cursor


def _config_name(source: Source) -> str:
    return fingerprint(orjson.dumps(dict(source.config), option=orjson.OPT_SORT_KEYS).decode())
