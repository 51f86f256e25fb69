"""What people may send about sources."""

from __future__ import annotations

import json
from typing import Annotated, Any

from pydantic import AfterValidator, ConfigDict, Field, StrictBool

from clawfeed.api.http.request_fields import Address, Input, Line
from clawfeed.auth.permissions.source_edit_rules import SourceEdit
from clawfeed.domain.errors import InvalidInputError
from clawfeed.sources.discovery.new_source import LARGEST_CONFIG, read_config
from clawfeed.storage.source_changes.source_cadence import CadenceChoice

# Deeper than any config, and shallow enough for every function that walks through one.
DEEPEST_CONFIG = 10
LARGEST_NUMBER = 2**63 - 1


def _fit(config: dict[str, Any]) -> dict[str, Any]:
    """*config* if it can be stored and shown by everything that will touch it."""
    waiting: list[tuple[object, int]] = [(config, 1)]
    count = 0
    while waiting:
        value, depth = waiting.pop()
        if depth > DEEPEST_CONFIG:
            raise ValueError(f"a config may be nested {DEEPEST_CONFIG} deep at most")
        if isinstance(value, int) and abs(value) > LARGEST_NUMBER:
            raise ValueError("a number in it is too large")
        inner = value.values() if isinstance(value, dict) else value
        if isinstance(value, dict | list):
            count += len(value)
            # It cannot be small enough with so many: nobody waits until all are looked at (T26).
            if count > LARGEST_CONFIG:
                raise ValueError(f"a config may have {LARGEST_CONFIG // 1024} KB at most")
            waiting += [(each, depth + 1) for each in inner]  # type: ignore[attr-defined] # of both
    try:
        return read_config(json.dumps(config))
    except InvalidInputError as error:
        raise ValueError(str(error)) from error


Config = Annotated[dict[str, Any], AfterValidator(_fit)]


class NewSourceInput(Input):
    """A source to follow. Without a name it gets one; it is yours alone unless you say public."""

    model_config = ConfigDict(
        json_schema_extra={
            "example": {"type": "rss", "config": {"url": "https://example.org/feed.xml"}}
        }
    )

    type: Line
    config: Config = Field(default_factory=dict)
    name: Line | None = None
    is_public: StrictBool = False


class SourceChange(Input):
    """What shall be different; the rest stays. A `***` in the config keeps what is stored."""

    model_config = ConfigDict(
        json_schema_extra={"example": {"name": "Example", "config": {"url": "https://example.org"}}}
    )

    name: Line | None = None
    config: Config | None = None
    is_public: StrictBool | None = None
    cadence: CadenceChoice | None = None

    def edit(self) -> SourceEdit:
        return SourceEdit(name=self.name, config=self.config, is_public=self.is_public)


class ResolveInput(Input):
    """An address, or an account like @example."""

    model_config = ConfigDict(json_schema_extra={"example": {"url": "https://example.org"}})

    url: Address
