"""A source in one line, as commands name it: without its secrets."""

from __future__ import annotations

import json
from collections.abc import Mapping

from clawfeed.app.processes.logging_setup import one_line
from clawfeed.domain.ids import JsonValue
from clawfeed.domain.sources.source_secrets import mask_config, mask_url
from clawfeed.domain.sources.type_facts import KnownTypes, TypeFacts


def label(
    types: KnownTypes[TypeFacts], source_type: str, name: str, config: Mapping[str, JsonValue]
) -> str:
    """`rss "Example" https://…`: a source in one line."""
    place = where(types.facts(source_type), config)
    return f'{source_type} "{one_line(name)}" {one_line(place)}'.rstrip()


def where(facts: TypeFacts, config: Mapping[str, JsonValue]) -> str:
    """Where a source polls: its address or name, else its whole config; secrets masked."""
    value = config.get(facts.main_key or "")
    if isinstance(value, str) and value:
        return mask_url(value)
    return json.dumps(mask_config(config), ensure_ascii=False) if config else ""
