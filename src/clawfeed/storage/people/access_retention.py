"""What the doors leave behind, removed once it opens nothing any more."""

from __future__ import annotations

from datetime import datetime, timedelta

from clawfeed.domain.people.login_throttle import ATTEMPTS_LIFETIME
from clawfeed.storage.database import Database, Statement, Steps
from clawfeed.storage.idempotency import KEY_LIFETIME
from clawfeed.storage.people.known_devices import DEVICE_LIFETIME
from clawfeed.storage.people.sessions import IDLE_TIMEOUT
from clawfeed.storage.people.x_authorisations import forget_old_flows
from clawfeed.storage.timestamps import seconds

# Long enough to look back after an incident, short enough not to grow for ever.
AUDIT_KEPT = timedelta(days=365)


async def remove_stale_access(database: Database, *, now: datetime) -> None:
    """Remove dead sessions, old links and sign-ins, forgotten failures and answers."""
    await database.run(lambda: _remove(now))


def _remove(now: datetime) -> Steps[None]:
    at = seconds(now)
    yield Statement(
        "DELETE FROM sessions WHERE expires_at <= :now OR last_seen_at <= :idle",
        {"now": at, "idle": seconds(now - IDLE_TIMEOUT)},
    )
    yield Statement("DELETE FROM one_time_links WHERE expires_at <= :now", {"now": at})
    yield Statement("DELETE FROM oidc_flows WHERE expires_at <= :now", {"now": at})
    yield forget_old_flows(now)
    yield Statement(
        "DELETE FROM throttles WHERE last_at < :limit", {"limit": seconds(now - ATTEMPTS_LIFETIME)}
    )
    yield Statement(
        "DELETE FROM idempotency_keys WHERE created_at < :limit",
        {"limit": seconds(now - KEY_LIFETIME)},
    )
    yield Statement(
        "DELETE FROM known_devices WHERE last_seen_at < :limit",
        {"limit": seconds(now - DEVICE_LIFETIME)},
    )
    yield Statement("DELETE FROM audit_log WHERE at < :limit", {"limit": seconds(now - AUDIT_KEPT)})
