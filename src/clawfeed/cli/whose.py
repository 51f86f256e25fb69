"""Whom a command means: the person named, or the only one there is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from clawfeed.cli.accounts import person as person_named
from clawfeed.domain.user_names import normal_email

if TYPE_CHECKING:
    from clawfeed.domain.people import User
    from clawfeed.storage.database import Database


async def person(database: Database, email: str | None) -> User:
    """Who has this address; without one, who alone has an account.

    In a house where nobody has one yet, the admin that every house has (settled question 14).
    """
    from clawfeed.storage.users import UserStore

    if email is not None:
        return await person_named(UserStore(database), normal_email(email))
    found = await only_one(database)
    if found is None:
        raise click.UsageError("Say whose: --user EMAIL (`clawfeed user list` shows who there is).")
    return found


async def only_one(database: Database) -> User | None:
    """Who alone has an account, None if several do."""
    from clawfeed.app.clock import system_clock
    from clawfeed.storage.users import UserStore

    people = UserStore(database)
    everybody = [each.user for each in await people.list() if not each.user.is_disabled]
    if len(everybody) > 1:
        return None
    return everybody[0] if everybody else await people.local_admin(now=system_clock())
