"""Whose a source is that somebody adds by command."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clawfeed.cli.accounts import person

if TYPE_CHECKING:
    from clawfeed.domain.ids import UserId
    from clawfeed.storage.database import Database

# For who would make a secret public; the rule itself is the API's (T18).
PRIVATE_PLEASE = "give --private, or an address without them"


async def private_owner(database: Database, email: str | None) -> UserId:
    """Who sees a private source: the person asked for, else the first admin.

    Before the first start there is none; the one it would make is made now.
    """
    from clawfeed.app.clock import system_clock
    from clawfeed.storage.users import UserStore

    people = UserStore(database)
    if email is None:
        return (await people.local_admin(now=system_clock())).id
    return (await person(people, email)).id
