"""Sign-ins under way at an identity provider: begun by one browser, finished once, or forgotten."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from clawfeed.storage.database import Database, Row, execute
from clawfeed.storage.timestamps import moment, seconds

FLOW_LIFETIME = timedelta(minutes=10)


@dataclass(frozen=True, slots=True, kw_only=True)
class OidcFlow:
    """One sign-in under way. *provider* is a slug, *browser_hash* that of the browser's cookie."""

    state_hash: bytes = field(repr=False)
    browser_hash: bytes = field(repr=False)
    nonce_hash: bytes = field(repr=False)
    provider: str
    code_verifier: str = field(repr=False)
    next_path: str


class OidcFlows:
    """The flows that may still be finished. `access_retention` removes the others."""

    def __init__(self, database: Database) -> None:
        self._db = database

    async def begin(self, flow: OidcFlow, *, now: datetime) -> None:
        await execute(
            self._db,
            """
            INSERT INTO oidc_flows (state_hash, browser_hash, provider, nonce_hash, code_verifier,
                next_path, created_at, expires_at)
            VALUES (:state, :browser, :provider, :nonce, :verifier, :next, :now, :expires)
            """,
            {
                "state": flow.state_hash,
                "browser": flow.browser_hash,
                "provider": flow.provider,
                "nonce": flow.nonce_hash,
                "verifier": flow.code_verifier,
                "next": flow.next_path,
                "now": seconds(now),
                "expires": seconds(now + FLOW_LIFETIME),
            },
        )

    async def take(self, state_hash: bytes, *, now: datetime) -> OidcFlow | None:
        """The flow, for the first who asks within its time; for everybody else None.

        It is gone afterwards whoever asked: a state that turned up in the wrong place is known
        to others, and must finish nothing.
        """
        rows = await execute(
            self._db,
            "DELETE FROM oidc_flows WHERE state_hash = :state RETURNING state_hash, browser_hash, "
            "nonce_hash, provider, code_verifier, next_path, expires_at",
            {"state": state_hash},
        )
        if not rows or moment(rows[0]["expires_at"]) <= now:
            return None
        return _to_flow(rows[0])


def _to_flow(row: Row) -> OidcFlow:
    return OidcFlow(
        state_hash=bytes(row["state_hash"]),
        browser_hash=bytes(row["browser_hash"]),
        nonce_hash=bytes(row["nonce_hash"]),
        provider=row["provider"],
        code_verifier=row["code_verifier"],
        next_path=row["next_path"],
    )
