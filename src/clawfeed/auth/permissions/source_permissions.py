"""Who may do what to a source they can see."""

from __future__ import annotations

from collections.abc import Mapping

from clawfeed.domain.errors import NotAllowedError, RefusalCode
from clawfeed.domain.ids import JsonValue
from clawfeed.domain.people.users import Caller
from clawfeed.domain.sources import source_secrets, type_facts
from clawfeed.domain.sources.type_facts import TypeFacts
from clawfeed.storage.sources.source_row import SourceRow


def require_changing(row: SourceRow, caller: Caller) -> None:
    """Raise unless it is theirs, with nobody else following it, or they administer what is public.

    What one person sets may not show to another (T19).
    """
    if row.is_public and caller.is_admin:
        return
    if not row.is_of(caller.user.id):
        raise NotAllowedError(
            f"source {row.id} is not yours: its creator or an admin may do this",
            RefusalCode.SOURCE_OF_ANOTHER,
        )
    if row.is_public and row.other_subscribers:
        raise NotAllowedError(
            f"others follow source {row.id}: ask an admin, or add a private one of your own",
            RefusalCode.SOURCE_FOLLOWED,
        )


def require_polling(row: SourceRow, caller: Caller) -> None:
    if not (row.is_subscribed or row.is_of(caller.user.id) or caller.is_admin):
        raise NotAllowedError(
            f"you do not follow source {row.id}: subscribe to it first",
            RefusalCode.SOURCE_UNFOLLOWED,
        )


def require_hiding(row: SourceRow, caller: Caller) -> None:
    """Raise unless the source would still be somebody's who asks for it."""
    if not row.is_of(caller.user.id):
        raise NotAllowedError(
            f"only its creator can make source {row.id} private", RefusalCode.SOURCE_CREATOR
        )


def require_no_secret(config: Mapping[str, JsonValue]) -> None:
    """Raise if a source with this *config* cannot be public (T18)."""
    source_secrets.require_no_secret(
        config, way_out='keep it private ("is_public": false), or give an address without them'
    )


def require_shareable(facts: TypeFacts) -> None:
    """Raise if sources of this type are one person's own (S001-20)."""
    type_facts.require_shareable(facts, way_out='keep it private ("is_public": false)')


def sees_faults(row: SourceRow, caller: Caller | None) -> bool:
    return caller is not None and (caller.is_admin or row.is_of(caller.user.id))
