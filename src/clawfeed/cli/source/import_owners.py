"""Whose the sources of an imported list are, and who follows them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from clawfeed.cli.person_arguments import only_person
from clawfeed.cli.source.owner import private_owner
from clawfeed.domain.errors import InvalidInputError, UserError
from clawfeed.domain.ids import SourceId, UserId
from clawfeed.domain.people.user_names import normal_email

if TYPE_CHECKING:
    from clawfeed.domain.sources.type_facts import KnownTypes, TypeFacts
    from clawfeed.sources.discovery.new_source import SourceRequest
    from clawfeed.sources.documents.opml import OpmlDocument
    from clawfeed.storage.database import Database
    from clawfeed.storage.sources.sources import NewSource

OWNER_NEEDED = "it is somebody's own at X: import it with --user EMAIL"


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportOwners:
    """*owner* sees what is private: all, or what the list says is.

    What is somebody's own at X is *reader*'s, who is None if several could be meant (S001-20).
    """

    are_private: bool
    owner: UserId | None
    reader: UserId | None

    def of(self, wanted: SourceRequest, facts: TypeFacts) -> UserId | None:
        """Whose *wanted* will be; None makes it public."""
        if facts.is_personal:
            if self.reader is None:
                raise InvalidInputError(OWNER_NEEDED)
            return self.reader
        return self.owner if self.are_private or not wanted.is_public else None


async def owners_of(
    document: OpmlDocument,
    types: KnownTypes[TypeFacts],
    database: Database,
    *,
    email: str | None,
    private: bool,
) -> ImportOwners:
    """The person with this address, else whom `source add` would take; nobody is made in vain."""
    if email is not None:
        named = await private_owner(database, normal_email(email))
        return ImportOwners(are_private=private, owner=named, reader=named)
    is_any_private = private or any(each.is_private for each in document.outlines)
    is_any_personal = any(types.facts(each.type).is_personal for each in document.outlines)
    alone = await only_person(database) if is_any_personal else None
    return ImportOwners(
        are_private=private,
        owner=await private_owner(database, None) if is_any_private else None,
        reader=alone.id if alone else None,
    )


async def follow_imported(
    new: Sequence[NewSource], ids: Mapping[str, SourceId], database: Database
) -> list[str]:
    """Subscribe their owners, and the operator to what nobody owns, as `source add` does.

    Returns a sentence for each person who follows too much already: the sources stay.
    """
    from clawfeed.app.clock import system_clock
    from clawfeed.storage.people.users import UserStore
    from clawfeed.storage.sources.subscriptions import SubscriptionStore

    admin = await UserStore(database).oldest_admin()
    followed: dict[UserId, list[SourceId]] = {}
    for each in new:
        reader = each.created_by or (admin.id if admin else None)
        if reader is not None and each.identity in ids:
            followed.setdefault(reader, []).append(ids[each.identity])
    notes = []
    for reader, some in followed.items():
        try:
            await SubscriptionStore(database).change(reader, add=some, now=system_clock())
        except UserError as error:
            notes.append(f"nobody follows what was added: {error}")
    return notes
