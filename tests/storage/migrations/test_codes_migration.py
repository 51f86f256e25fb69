"""Databases of before keep what they hold where codes stand now (migration 0020)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import timedelta

import pytest

from clawfeed.domain.editions.edition_failure import EditionFailure, FailureCode
from clawfeed.storage.audit import Action, AuditLog
from clawfeed.storage.database import Database, execute
from clawfeed.storage.drivers.connect import StorageConfig, open_database
from clawfeed.storage.editions.editions import EditionStore
from clawfeed.storage.leases import Holder
from clawfeed.storage.migrate import migrate, migrations
from clawfeed.storage.people.x_authorisations import XAuthorisations
from tests.support.api_callers import ANNA, add_people
from tests.support.clocks import NOON

LAST_BEFORE = 19
WRITTEN = {
    "signed in": Action.SIGNED_IN,
    "sign-in failed": Action.SIGN_IN_FAILED,
    "password set by link": Action.PASSWORD_SET,
    "API key revoked": Action.KEY_REVOKED,
    "X authorisation revoked": Action.X_REVOKED,
    "registered": Action.REGISTERED,
    "what a plug-in wrote": "what a plug-in wrote",
}


@pytest.fixture
async def old(empty_database_url: str) -> AsyncIterator[Database]:
    """A database as it was before."""
    database = await open_database(StorageConfig(url=empty_database_url))
    before = tuple(each for each in migrations() if each.version <= LAST_BEFORE)
    await migrate(database, now=NOON, known=before)
    yield database
    await database.close()


async def test_lines_of_the_audit_log_keep_their_meaning(old: Database) -> None:
    for at, phrase in enumerate(WRITTEN):
        await execute(
            old,
            "INSERT INTO audit_log (at, action, detail) VALUES (:at, :action, 'by hand')",
            {"at": at, "action": phrase},
        )

    await migrate(old, now=NOON)

    events = await AuditLog(old).list(limit=50)
    assert [each.action for each in reversed(events)] == list(WRITTEN.values())
    assert {each.detail for each in events} == {"by hand"}


async def test_what_went_wrong_with_editions_is_still_told(old: Database) -> None:
    for period, said in (("2026-11-14", None), ("2026-11-15", "the disk is full")):
        await add_task(old, period, said)

    await migrate(old, now=NOON)

    tasks = await EditionStore(old).recent(limit=5)
    assert {task.period: task.failure for task in tasks} == {
        "2026-11-14": None,
        "2026-11-15": EditionFailure(code=FailureCode.OTHER, detail="the disk is full"),
    }


async def test_whoever_was_renewing_a_token_of_x_is_forgotten(old: Database) -> None:
    """The next renews it: X tells which of two it takes."""
    await add_people(old)
    await execute(
        old,
        """
        INSERT INTO x_authorisations (user_id, x_user_id, handle, scopes, access_token,
            refresh_token, expires_at, renewing_until, authorised_at, updated_at)
        VALUES (:user, '1', 'anna', 'tweet.read', 'a', 'r', 0, 9e9, 0, 0)
        """,
        {"user": ANNA},
    )

    await migrate(old, now=NOON)

    store = XAuthorisations(old)
    found = await store.find(ANNA)
    assert found
    assert await store.begin_renewal(found, Holder(worker="w", lease=timedelta(minutes=1)))


async def add_task(database: Database, period: str, said: str | None) -> None:
    await execute(
        database,
        """
        INSERT INTO edition_tasks (kind, scope, type, period, covers_from, covers_until, due_at,
            expires_at, batch_size, started_at, last_error, created_at, updated_at)
        VALUES ('digest', 'system', 'daily', :period, 0, 1, 1, 2, 8, 0, :said, 0, 0)
        """,
        {"period": period, "said": said},
    )
