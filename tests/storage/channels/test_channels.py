"""Channels as rows: whose they are, one to a place, and what the environment does to them."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import time, timedelta

import pytest

from clawfeed.domain.channels.channel import (
    NOT_SET,
    Channel,
    ChannelDraft,
    ChannelOrigin,
    ChannelTiming,
    QuietHours,
)
from clawfeed.domain.editions.delivery import ChannelState, PauseReason
from clawfeed.domain.editions.edition_period import EditionType
from clawfeed.domain.errors import AlreadyExistsError, NotFoundError, QuotaError
from clawfeed.domain.ids import ChannelId
from clawfeed.storage.channels.channel_secrets import ChannelSecrets, SealedSecrets
from clawfeed.storage.channels.channels import MOST_CHANNELS, ChannelStore
from clawfeed.storage.database import Database, execute
from clawfeed.storage.outbox.outbox_results import pause_channel
from tests.support.api_callers import ANNA, BEN, add_people
from tests.support.clocks import NOON

MINUTE = timedelta(minutes=1)
DRAFT = ChannelDraft(
    kind="pigeon",
    address="loft 7",
    name="My loft",
    config={"ring": "blue", "weights": [1, 2]},
    edition_types=(EditionType.DAILY, EditionType.WEEKLY),
    timing=ChannelTiming(
        zone="Europe/Berlin",
        deliver_at=time(7, 30),
        quiet=QuietHours(start=time(22), end=time(0)),
    ),
    language="zh",
    gets_alarms=True,
)


def sealed_as(text: str) -> SealedSecrets:
    return SealedSecrets(by_name={"token": text.encode()}, key_id="k")


async def test_a_channel_comes_back_as_it_was_stored(database: Database) -> None:
    await add_people(database)
    store = ChannelStore(database)

    added = await store.add(ANNA, DRAFT, now=NOON)

    assert await store.get(added.id) == added
    assert added == Channel(
        id=added.id,
        owner_id=ANNA,
        origin=ChannelOrigin.STORED,
        kind="pigeon",
        name="My loft",
        address="loft 7",
        config=DRAFT.config,
        edition_types=DRAFT.edition_types,
        timing=DRAFT.timing,
        language="zh",
        gets_alarms=True,
        state=ChannelState.ACTIVE,
        created_at=NOON,
        updated_at=NOON,
    )


async def test_everybody_lists_their_own_and_some_the_house_s(database: Database) -> None:
    await add_people(database)
    store = ChannelStore(database)
    anna = [await store.add(ANNA, replace(DRAFT, address=f"loft {n}"), now=NOON) for n in range(3)]
    house = await store.add(None, DRAFT, now=NOON)

    assert await store.list(ANNA) == anna
    assert await store.list(ANNA, after=anna[0].id, limit=1) == [anna[1]]
    assert await store.list(BEN) == []
    assert await store.list(BEN, with_house=True) == [house]
    assert await store.list(None) == [house]


async def test_one_place_is_one_channel_of_each(database: Database) -> None:
    await add_people(database)
    store = ChannelStore(database)
    for owner in (ANNA, BEN, None):
        await store.add(owner, DRAFT, now=NOON)
    other = await store.add(ANNA, replace(DRAFT, address="loft 8"), now=NOON)

    for owner in (ANNA, None):
        with pytest.raises(AlreadyExistsError, match="a pigeon channel to loft 7 already"):
            await store.add(owner, DRAFT, now=NOON)
    with pytest.raises(AlreadyExistsError, match="a pigeon channel to loft 7 already"):
        await store.change(other.id, DRAFT, now=NOON)


async def test_twenty_at_once_find_room_for_one(database: Database) -> None:
    """(T26)."""
    await add_people(database)
    store = ChannelStore(database)
    for number in range(MOST_CHANNELS - 1):
        await store.add(ANNA, replace(DRAFT, address=f"old {number}"), now=NOON)
    await store.add(None, DRAFT, now=NOON)
    # Connections are open then: nobody waits for one, and comes too late to be in the way.
    await asyncio.gather(*(store.list(ANNA) for _ in range(20)))

    answers = await asyncio.gather(
        *(store.add(ANNA, replace(DRAFT, address=f"new {n}"), now=NOON) for n in range(20)),
        return_exceptions=True,
    )

    assert sum(isinstance(each, Channel) for each in answers) == 1
    assert sum(isinstance(each, QuotaError) for each in answers) == 19
    assert (await store.add(BEN, DRAFT, now=NOON)).owner_id == BEN


async def test_a_changed_channel_keeps_its_owner_and_its_state(database: Database) -> None:
    await add_people(database)
    store = ChannelStore(database)
    added = await store.add(ANNA, DRAFT, now=NOON)
    await store.pause(added.id, now=NOON)

    changed = await store.change(
        added.id, ChannelDraft(kind="pigeon", address="loft 9"), now=NOON + MINUTE
    )

    assert changed == await store.get(added.id)
    assert (changed.owner_id, changed.state) == (ANNA, ChannelState.PAUSED)
    assert (changed.address, changed.name, changed.config) == ("loft 9", "", {})
    assert (changed.timing, changed.created_at) == (ChannelTiming(), NOON)
    with pytest.raises(NotFoundError):
        await store.change(added.id, ChannelDraft(kind="owl", address="loft 9"), now=NOON)


async def test_why_it_failed_stays_until_it_is_resumed(database: Database) -> None:
    await add_people(database)
    store = ChannelStore(database)
    channel = (await store.add(ANNA, DRAFT, now=NOON)).id

    await database.run(lambda: pause_channel(channel, "gone", "no loft 7", NOON))
    failed = await store.get(channel)
    paused = await store.pause(channel, now=NOON)
    resumed = await store.resume(channel, now=NOON)

    assert (failed.state, failed.paused_because) == (ChannelState.PAUSED, PauseReason.FAILED)
    assert (paused.paused_because, paused.last_error_code) == (PauseReason.PERSON, "gone")
    assert (resumed.state, resumed.paused_because) == (ChannelState.ACTIVE, None)
    assert (resumed.last_error_code, resumed.last_error) == (None, None)


async def test_what_is_not_there_is_not_found(database: Database) -> None:
    await add_people(database)
    store = ChannelStore(database)
    gone = (await store.add(ANNA, DRAFT, now=NOON)).id
    await store.remove(gone)

    for asked in (
        store.get(gone), store.remove(gone), store.pause(gone, now=NOON),
        store.resume(gone, now=NOON), store.change(gone, DRAFT, now=NOON),
    ):  # fmt: skip
        with pytest.raises(NotFoundError, match=f"there is no channel {gone}"):
            await asked


async def test_secrets_are_stored_and_go_with_their_channel(database: Database) -> None:
    await add_people(database)
    store, secrets = ChannelStore(database), ChannelSecrets(database)
    first = await store.add(ANNA, DRAFT, reseal=lambda *_: sealed_as("one"), now=NOON)
    bare = await store.add(BEN, DRAFT, now=NOON)

    await store.change(first.id, DRAFT, now=NOON)
    assert await secrets.of([first.id, bare.id]) == {first.id: sealed_as("one")}
    await store.change(
        first.id,
        DRAFT,
        reseal=lambda _, before: sealed_as(f"{before and before.by_name['token'].decode()}, two"),
        now=NOON,
    )
    assert await secrets.get(first.id) == sealed_as("one, two")
    await store.change(first.id, DRAFT, reseal=lambda *_: None, now=NOON)
    assert await secrets.get(first.id) is None


async def test_a_secret_that_cannot_be_sealed_stores_no_channel(database: Database) -> None:
    await add_people(database)
    store = ChannelStore(database)

    def no_key(_channel: ChannelId, _before: SealedSecrets | None) -> SealedSecrets:
        raise QuotaError("no key")

    with pytest.raises(QuotaError):
        await store.add(ANNA, DRAFT, reseal=no_key, now=NOON)

    assert await store.list(ANNA) == []


async def test_damaged_secrets_are_none_and_harm_nobody(database: Database) -> None:
    await add_people(database)
    store, secrets = ChannelStore(database), ChannelSecrets(database)
    damaged = await store.add(ANNA, DRAFT, reseal=lambda *_: sealed_as("one"), now=NOON)
    whole = await store.add(BEN, DRAFT, reseal=lambda *_: sealed_as("two"), now=NOON)
    for rubbish in (b"\xff", b"[]", b'{"token": 3}', b'{"token": "a"}'):
        await execute(
            database,
            "UPDATE channel_secrets SET sealed = :sealed WHERE channel_id = :id",
            {"sealed": rubbish, "id": damaged.id},
        )

        found = await secrets.of([damaged.id, whole.id])

        assert found == {
            damaged.id: SealedSecrets(by_name={}, key_id="k"),
            whole.id: sealed_as("two"),
        }


async def test_the_environment_makes_its_channels_and_takes_them_back(database: Database) -> None:
    """(S002-7)."""
    store = ChannelStore(database)
    loft, owl = DRAFT, ChannelDraft(kind="owl", address="tower")

    first = await store.sync_environment([loft, owl], now=NOON)
    again = await store.sync_environment([replace(owl, language="zh")], now=NOON + MINUTE)
    vanished = next(each for each in await store.list(None) if each.kind == "pigeon")
    back = await store.sync_environment([loft, owl], now=NOON)

    assert [(each.kind, each.origin) for each in first] == [
        ("owl", ChannelOrigin.ENVIRONMENT), ("pigeon", ChannelOrigin.ENVIRONMENT),
    ]  # fmt: skip
    assert [(each.id, each.language) for each in again] == [(first[0].id, "zh")]
    assert (vanished.id, vanished.state) == (first[1].id, ChannelState.PAUSED)
    assert (vanished.last_error_code, bool(vanished.last_error)) == (NOT_SET, True)
    assert [(each.id, each.state, each.last_error) for each in back] == [
        (each.id, ChannelState.ACTIVE, None) for each in first
    ]


async def test_who_unsubscribed_does_not_come_back_by_a_restart(database: Database) -> None:
    store = ChannelStore(database)
    [channel] = await store.sync_environment([DRAFT], now=NOON)
    await store.pause(channel.id, now=NOON)

    await store.sync_environment([], now=NOON)
    [back] = await store.sync_environment([DRAFT], now=NOON)

    assert (back.state, back.paused_because) == (ChannelState.PAUSED, PauseReason.PERSON)
    assert back.last_error is None


async def test_the_environment_touches_nobody_s_own_and_takes_over_the_house_s(
    database: Database,
) -> None:
    await add_people(database)
    store, secrets = ChannelStore(database), ChannelSecrets(database)
    own = await store.add(ANNA, DRAFT, now=NOON)
    house = await store.add(None, DRAFT, reseal=lambda *_: sealed_as("one"), now=NOON)

    [taken] = await store.sync_environment([DRAFT], now=NOON)

    assert (taken.id, taken.origin) == (house.id, ChannelOrigin.ENVIRONMENT)
    assert await secrets.get(house.id) is None
    assert await store.get(own.id) == own
    with pytest.raises(NotFoundError):
        await store.change(taken.id, DRAFT, now=NOON)
