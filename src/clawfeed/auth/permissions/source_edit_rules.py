"""A source as somebody wants it to be: held to who they are and to what can work."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from clawfeed.auth.permissions.source_permissions import (
    require_changing,
    require_hiding,
    require_no_secret,
    require_shareable,
)
from clawfeed.domain.ids import JsonValue
from clawfeed.domain.people.users import Caller
from clawfeed.domain.sources.source import LONGEST_SOURCE_NAME
from clawfeed.sources.config.unmasking import require_same_place, unmasked
from clawfeed.sources.discovery.new_source import SourceRequest, prepare
from clawfeed.sources.documents.text_cleaning import clean_text
from clawfeed.sources.registry import Fetchers
from clawfeed.storage.source_changes.source_changes import as_it_is
from clawfeed.storage.sources.source_row import SourceRow
from clawfeed.storage.sources.sources import NewSource


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceEdit:
    """What shall be different; None stays. A `***` in the *config* keeps what is stored."""

    name: str | None = None
    config: Mapping[str, JsonValue] | None = None
    is_public: bool | None = None


def planned(fetchers: Fetchers, row: SourceRow, edit: SourceEdit, caller: Caller) -> NewSource:
    """The source as *caller* wants it; raises if they may not, or if it cannot work."""
    require_changing(row, caller)
    is_public = bool(row.is_public) if edit.is_public is None else edit.is_public
    if row.is_public and not is_public:
        require_hiding(row, caller)
    new = _configured(fetchers, row, edit)
    if is_public:
        require_shareable(fetchers.types.facts(row.type))
    if is_public and (edit.config is not None or not row.is_public):
        require_no_secret(new.config)
    name = clean_text(edit.name, LONGEST_SOURCE_NAME) or row.name
    return replace(new, name=name, is_public=is_public)


def _configured(fetchers: Fetchers, row: SourceRow, edit: SourceEdit) -> NewSource:
    """What stays as it is is not checked again: a broken source can still be renamed."""
    if edit.config is None:
        return as_it_is(row)
    stored = row.settings()
    config = unmasked(edit.config, stored)
    new = prepare(fetchers, SourceRequest(type=row.type, config=config))
    require_same_place(edit.config, stored, is_same_host=new.host == row.host)
    return new
