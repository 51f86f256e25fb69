"""People as they are named on the command line, or meant where nobody is named."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from clawfeed.domain.errors import NotFoundError
from clawfeed.domain.people.user_names import normal_email

if TYPE_CHECKING:
    from clawfeed.domain.ids import UserId
    from clawfeed.domain.people.users import User
    from clawfeed.storage.database import Database
    from clawfeed.storage.people.users import UserStore


async def person_named(people: UserStore, email: str) -> User:
    """Whoever has this address, or one sentence that nobody does."""
    email = normal_email(email)
    account = await people.find(email)
    if account is None:
        raise NotFoundError(
            f"{email} has no account: `clawfeed user list` shows who does, `clawfeed user add` "
            "makes one"
        )
    return account.user


async def reader_named(database: Database, email: str | None) -> UserId | None:
    """Whose own editions are asked for too; nobody's without an address."""
    from clawfeed.storage.people.users import UserStore

    if email is None:
        return None
    return (await person_named(UserStore(database), email)).id


async def person_meant(database: Database, email: str | None) -> User:
    """Who has this address; without one, who alone has an account.

    In a house where nobody has one yet, the admin that every house has (settled question 14).
    """
    from clawfeed.storage.people.users import UserStore

    if email is not None:
        return await person_named(UserStore(database), email)
    found = await only_person(database)
    if found is None:
        raise click.UsageError("Say whose: --user EMAIL (`clawfeed user list` shows who there is).")
    return found


async def only_person(database: Database) -> User | None:
    """Who alone has an account, or the admin that every house has; None if several do."""
    from clawfeed.app.clock import system_clock
    from clawfeed.storage.people.users import UserStore

    people = UserStore(database)
    everybody = [each.user for each in await people.list() if not each.user.is_disabled]
    if len(everybody) > 1:
        return None
    return everybody[0] if everybody else await people.local_admin(now=system_clock())
