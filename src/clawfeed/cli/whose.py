"""Whom a command means: the person named, or the only one there is."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from clawfeed.domain.errors import NotFoundError
from clawfeed.domain.user_names import normal_email

if TYPE_CHECKING:
    from clawfeed.domain.people import User
    from clawfeed.domain.source_type import TypeFacts
    from clawfeed.storage.database import Database
    from clawfeed.storage.sources import NewSource


async def person(database: Database, email: str | None) -> User:
    """Who has this address; without one, who alone has an account.

    In a house where nobody has one yet, the admin that every house has (settled question 14).
    """
    from clawfeed.app.clock import system_clock
    from clawfeed.storage.users import UserStore

    people = UserStore(database)
    if email is not None:
        account = await people.find(normal_email(email))
        if account is None:
            raise NotFoundError(f"{email} has no account: `clawfeed user list` shows who does")
        return account.user
    everybody = [each.user for each in await people.list() if not each.user.is_disabled]
    if len(everybody) > 1:
        raise click.UsageError("Say whose: --user EMAIL (`clawfeed user list` shows who there is).")
    return everybody[0] if everybody else await people.local_admin(now=system_clock())


async def owned(
    new: NewSource, facts: TypeFacts, database: Database, email: str | None
) -> NewSource:
    """*new* as its owner's; only what is one person's own needs one (S001-20)."""
    if not facts.is_personal:
        return new
    return replace(new, created_by=(await person(database, email)).id)
