"""Who may do what to a source they can see."""

from __future__ import annotations

from collections.abc import Mapping

from clawfeed.api.source_requests import holds_secret
from clawfeed.domain.errors import InvalidInputError, NotAllowedError
from clawfeed.domain.ids import JsonValue
from clawfeed.domain.people import Caller
from clawfeed.storage.visible_sources import SourceRow


def insist_on_changing(line: SourceRow, caller: Caller) -> None:
    """Raise unless it is theirs, with nobody else following it, or they administer what is public.

    What one person sets may not show to another (T19).
    """
    if line.is_public and caller.is_admin:
        return
    if not line.is_of(caller.user.id):
        raise NotAllowedError(f"source {line.id} is not yours: its creator or an admin may do this")
    if line.is_public and line.other_subscribers:
        raise NotAllowedError(
            f"others follow source {line.id}: ask an admin, or add a private one of your own"
        )


def insist_on_fetching(line: SourceRow, caller: Caller) -> None:
    if not (line.is_subscribed or line.is_of(caller.user.id) or caller.is_admin):
        raise NotAllowedError(f"you do not follow source {line.id}: subscribe to it first")


def insist_on_hiding(line: SourceRow, caller: Caller) -> None:
    """Raise unless the source would still be somebody's who asks for it."""
    if not line.is_of(caller.user.id):
        raise NotAllowedError(f"only its creator can make source {line.id} private")


def insist_on_no_secret(config: Mapping[str, JsonValue]) -> None:
    """Raise if a source with this *config* cannot be public (T18)."""
    if holds_secret(config):
        raise InvalidInputError(
            "its config holds headers or a token, so it cannot be public: "
            'send "is_public": false, or an address without them'
        )


def sees_faults(line: SourceRow, caller: Caller | None) -> bool:
    return caller is not None and (caller.is_admin or line.is_of(caller.user.id))
