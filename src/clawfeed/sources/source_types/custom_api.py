"""The type `custom_api`: any JSON on the web (S001-5)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from clawfeed.sources.config.custom_api import KEYS
from clawfeed.sources.source_types.source_type import FetcherKit, SourceType

if TYPE_CHECKING:
    from clawfeed.sources.fetchers.custom_api import CustomApi


def _build(kit: FetcherKit) -> CustomApi:
    from clawfeed.sources.fetchers.custom_api import LIMITS, CustomApi

    return CustomApi(**kit.common, environ=kit.header_secrets, limits=kit.limits(LIMITS))


CUSTOM_API: Final = SourceType(
    name="custom_api",
    minutes=120,
    keys=KEYS,
    main_key="endpoint",
    is_addressed=True,
    defaults={"method": "GET", "items_path": ""},
    documents={"custom_api": "clawfeed.sources.documents.custom_api:parse_api"},
    build=_build,
)
TYPES: Final = (CUSTOM_API,)
