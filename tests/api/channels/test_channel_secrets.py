"""A secret goes in and is seen nowhere: no answer, log, repr or row holds it (T17)."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import replace

import pytest

from clawfeed.api.channels.channel_requests import ChannelChange, NewChannel
from clawfeed.domain.errors import ChangedMeanwhileError, Reason
from clawfeed.domain.ids import ChannelId
from clawfeed.publish.channel_validation import ChannelRules, draft_of
from clawfeed.publish.message import SendError
from clawfeed.storage.database import Database, Row, in_order
from tests.api.channel_server import opened
from tests.support.api_callers import ANNA, BEN, as_user
from tests.support.socket_server import Answer

CANARY = "canary-9c27d1"
SECRETS = {"token": CANARY, "whistle": f"two {CANARY}"}
ANNAS, BENS = as_user(ANNA), as_user(BEN)
TABLES = {
    "sqlite": "SELECT name FROM sqlite_master WHERE type = 'table'",
    "postgresql": "SELECT table_name AS name FROM information_schema.tables "
    "WHERE table_schema = 'public'",
}


async def dump(database: Database) -> bytes:
    """Every value of every row of every table."""
    tables = [str(row["name"]) for row in await database.read(TABLES[database.dialect.name])]
    assert "channel_secrets" in tables
    rows = [row for table in tables for row in await database.read(f'SELECT * FROM "{table}"')]
    values = [value for row in rows for value in _values(row)]
    return b"\n".join(v if isinstance(v, bytes) else str(v).encode() for v in values)


def _values(row: Row) -> Iterable[object]:
    found: Iterable[object] = row.values() if hasattr(row, "values") else in_order(row)
    return found


async def test_a_secret_is_seen_nowhere(
    database: Database, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    one = "/api/channels/1"
    async with opened(database) as house:
        ask = house.client.ask
        key = {**ANNAS, "Idempotency-Key": "one"}
        answers: list[Answer] = [await ask("POST", "/api/channels", key, body(SECRETS))]
        assert answers[0].status == 201
        answers += [
            await ask("POST", "/api/channels", ANNAS, body(wrong, **more))
            for wrong, more in (
                (SECRETS, {}),  # there already
                (SECRETS, {"address": "tower"}),
                (SECRETS, {"kind": "raven"}),
                (SECRETS, {"kind": "owl"}),  # which has no whistle
                ({CANARY: "x"}, {"address": "loft 8"}),
                ({"token": f"***{CANARY}"}, {"address": "loft 8"}),
                ({"token": [CANARY]}, {"address": "loft 8"}),
                ({"token": CANARY * 1_000}, {"address": "loft 8"}),
            )
        ]
        answers += [
            await ask("PUT", one, ANNAS, {"secrets": SECRETS, "name": "Mine"}),
            await ask("PUT", one, ANNAS, {"secrets": {"token": CANARY}, "address": "tower"}),
            await ask("PUT", one, BENS, {"secrets": SECRETS}),
            await ask("GET", "/api/channels", ANNAS),
            await ask("GET", one, ANNAS),
            await ask("GET", f"{one}/deliveries", ANNAS),
            await ask("GET", "/api/channel-kinds", ANNAS),
            await ask("POST", f"{one}/test", ANNAS),
            await ask("POST", f"{one}/pause", ANNAS),
            await ask("POST", f"{one}/resume", ANNAS),
        ]
        house.loft.failure = SendError(Reason.REFUSED, "no")
        answers.append(await ask("POST", f"{one}/test", ANNAS))
        held = await house.secrets_of(1)
        stored = await dump(database)
        target = house.loft.received[0][0]
        sealed = await house.secrets.get(target.channel_id)

    assert [each.text for each in answers if CANARY in f"{each.text} {each.headers}"] == []
    assert held == SECRETS
    assert CANARY.encode() not in stored
    assert CANARY not in caplog.text
    assert CANARY not in f"{target!r} {sealed!r}"
    assert CANARY not in repr(NewChannel.model_validate(body(SECRETS)))
    assert CANARY not in repr(ChannelChange.model_validate({"secrets": SECRETS}))


@pytest.mark.parametrize("elsewhere", [{"address": "loft 8"}, {"config": {"town": "Ghent"}}])
async def test_of_two_changes_at_once_neither_takes_the_other_s_secret_elsewhere(
    database: Database, elsewhere: dict[str, object]
) -> None:
    """Both looked at the same moment; one then moved it, with a secret for its new place."""
    moved = {**elsewhere, "secrets": {"token": "for there"}}
    async with opened(database) as house:
        await house.add(ANNAS)
        seen = await house.store.get(ChannelId(1))
        assert (await house.client.put("/api/channels/1", ANNAS, moved)).status == 200
        stored = await house.store.get(ChannelId(1))

        with pytest.raises(ChangedMeanwhileError, match="changed meanwhile: look at it"):
            await house.admin.change(
                seen,
                replace(draft_of(seen), name="Mine"),
                ChannelRules(owner=None, may_get_alarms=False),
                now=house.clock(),
            )

        assert await house.store.get(ChannelId(1)) == stored
        assert await house.secrets_of(1) == {"token": "for there"}


def body(secrets: object, **more: object) -> dict[str, object]:
    return {"kind": "pigeon", "address": "Loft 7", "secrets": secrets, **more}
