"""The types that ClawFeed can read without a plug-in: one line each."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import Final

from clawfeed.domain.sources.type_facts import KnownTypes
from clawfeed.sources.source_types.source_type import SourceType, SourceTypes

# Modules of this folder; what is in their `TYPES` exists.
MODULES: Final = (
    "twitter",
    "hackernews",
    "reddit",
    "feed",
    "github_trending",
    "website",
    "custom_api",
)


def _described() -> Iterator[SourceType]:
    for name in MODULES:
        yield from import_module(f"{__package__}.{name}").TYPES


BUILT_IN: Final[SourceTypes] = KnownTypes(_described())
