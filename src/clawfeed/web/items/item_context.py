"""What the pages about items need."""

from __future__ import annotations

from dataclasses import dataclass

from clawfeed.sources.source_types.source_type import SourceTypes
from clawfeed.storage.database import Database
from clawfeed.web.frame.page_rendering import Site


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemPages:
    """*types* knows the other names that types of sources have."""

    site: Site
    database: Database
    types: SourceTypes
