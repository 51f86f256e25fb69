"""Who reads what is added without an account: the operator, who is the first admin."""

from __future__ import annotations

from datetime import datetime

from clawfeed.domain.errors import NotFoundError
from clawfeed.domain.sources.source import Source
from clawfeed.storage.database import Database
from clawfeed.storage.people.users import UserStore
from clawfeed.storage.sources.subscriptions import SubscriptionStore


async def follow_as_admin(database: Database, source: Source, *, now: datetime) -> str | None:
    """Subscribe the operator to *source*, as the API does for who adds one; their address.

    None before there is an admin, and for a source that no account may see.
    """
    admin = await UserStore(database).oldest_admin()
    if admin is None:
        return None
    try:
        await SubscriptionStore(database).change(admin.id, add=[source.id], now=now)
    except NotFoundError:
        return None
    return admin.email
