"""Whose a source is that somebody adds by command."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clawfeed.cli.person_arguments import person_meant, person_named

if TYPE_CHECKING:
    from clawfeed.domain.ids import UserId
    from clawfeed.domain.sources.type_facts import TypeFacts
    from clawfeed.storage.database import Database
    from clawfeed.storage.sources.sources import NewSource

# For who would make a secret public; the rule itself is the API's (T18).
PRIVATE_PLEASE = "give --private, or an address without them"


async def owner_of(
    new: NewSource, facts: TypeFacts, database: Database, email: str | None
) -> UserId | None:
    """Who owns *new*: nobody if it is public, the one it belongs to if it is personal (S001-20)."""
    if new.is_public:
        return None
    if facts.is_personal:
        return (await person_meant(database, email)).id
    return await private_owner(database, email)


async def private_owner(database: Database, email: str | None) -> UserId:
    """Who sees a private source: the person asked for, else the first admin.

    Before the first start there is none; the one it would make is made now.
    """
    from clawfeed.app.clock import system_clock
    from clawfeed.storage.people.users import UserStore

    people = UserStore(database)
    if email is None:
        return (await people.local_admin(now=system_clock())).id
    return (await person_named(people, email)).id
