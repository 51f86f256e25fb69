"""Channels, an edition and a worker, for tests of the way out."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

from clawfeed.domain.channels.channel import Channel, ChannelDraft
from clawfeed.domain.editions.edition import EditionTask, TaskState
from clawfeed.domain.editions.edition_decision import Publish, after_step
from clawfeed.domain.ids import ChannelId, DigestId, TaskId, UserId
from clawfeed.egress.client import Egress, EgressConfig
from clawfeed.publish.channel_targets import Targets
from clawfeed.publish.channel_type import ChannelTypes, PublishConfig, SendingTools
from clawfeed.publish.delivery_worker import DeliveryPace, DeliveryParts, DeliveryWorker
from clawfeed.publish.edition_messages import OutgoingEditions
from clawfeed.publish.message import Target
from clawfeed.publish.message_sending import MessageSending, SendingParts
from clawfeed.publish.secrets.secret_box import SecretBox
from clawfeed.publish.secrets.secret_key import SetKey
from clawfeed.storage.audit import Hand
from clawfeed.storage.channels.channel_secrets import ChannelSecrets
from clawfeed.storage.channels.channels import ChannelStore
from clawfeed.storage.database import Database, execute
from clawfeed.storage.digests.digests import save_digest
from clawfeed.storage.editions.edition_claims import EditionClaims
from clawfeed.storage.editions.edition_transitions import save_step
from clawfeed.storage.editions.editions import EditionStore
from clawfeed.storage.leases import Holder
from clawfeed.storage.outbox.outbox import Outbox
from clawfeed.storage.outbox.outbox_results import OutboxResults
from tests.support.clocks import NOON, FakeClock
from tests.support.digests import an_edition
from tests.support.editions import NEW
from tests.support.message_service import KINDS
from tests.support.origin import HURRIED

BASE_URL = "http://house.example"
WORKER = Holder(worker="editions", lease=timedelta(minutes=15))


def by_nobody(now: datetime) -> Hand:
    """A hand without a name, for what a person does to a message."""
    return Hand(by=None, client="here", now=now)


async def until(is_true: Callable[[], bool], seconds: float = 40) -> None:
    """Wait for something that happens elsewhere in the loop."""
    async with asyncio.timeout(seconds):
        while not is_true():  # noqa: ASYNC110 -- what is waited for sends no event
            await asyncio.sleep(0.01)


async def add_channel(
    database: Database,
    address: str,
    *,
    kind: str = "box_ask",
    owner: UserId | None = None,
    **values: Any,
) -> ChannelId:
    draft = ChannelDraft(kind=kind, address=address, name=address, **values)
    return (await ChannelStore(database).add(owner, draft, now=NOON)).id


async def write_edition(
    database: Database,
    *,
    title: str = "News",
    scope: str = NEW.scope,
    types: ChannelTypes = KINDS,
    clock: FakeClock | None = None,
) -> tuple[EditionTask, DigestId]:
    """An edition that is written, with its messages in the outbox, and waits for its channels."""
    clock = clock or FakeClock()
    store = EditionStore(database)
    added = await store.get_or_add(replace(NEW, scope=scope, period=title), now=clock())
    await execute(
        database,
        "UPDATE edition_tasks SET state = :state WHERE id = :id",
        {"state": TaskState.AGGREGATING, "id": added.id},
    )
    held = await EditionClaims(database).claim(added.id, WORKER)
    assert held is not None
    content = an_edition(title=title, type=NEW.type)
    dispatch = OutgoingEditions(database, lambda: types, clock, base_url=BASE_URL)
    digest = await database.run(
        lambda: save_digest(
            held,
            content,
            [],
            subscription_hash=None,
            now=clock(),
            messages=lambda digest, channels: dispatch.messages(
                digest, content, channels, now=clock()
            ),
        )
    )
    await EditionClaims(database).release(held, failure=None, now=clock())
    return held, digest


async def publish_task(database: Database, task_id: TaskId, clock: FakeClock) -> None:
    """What the driver does with an edition whose channels are done."""
    held = await EditionClaims(database).claim(task_id, WORKER)
    assert held is not None
    step = Publish()
    after = after_step(held, step, clock())
    await save_step(database, held, after, step, most_retries=3, now=clock())
    await EditionClaims(database).release(after, failure=None, now=clock())


@dataclass(frozen=True, slots=True, kw_only=True)
class Deliveries:
    """A worker with its clock; `drain` sends what is due now."""

    database: Database
    worker: DeliveryWorker
    clock: FakeClock

    async def drain(self) -> None:
        await self.worker.drain()

    async def states(self) -> list[tuple[int, int, str]]:
        """Channel, part and state of each message."""
        rows = await self.database.read(
            "SELECT channel_id, part, state FROM outbox ORDER BY digest_id, channel_id, part"
        )
        return [(row["channel_id"], row["part"], row["state"]) for row in rows]

    async def message(self, channel: int, part: int = 1) -> Any:
        [row] = await self.database.read(
            "SELECT * FROM outbox WHERE channel_id = :channel AND part = :part",
            {"channel": channel, "part": part},
        )
        return row


@asynccontextmanager
async def deliveries(
    database: Database,
    url: str,
    *,
    types: ChannelTypes = KINDS,
    clock: FakeClock | None = None,
    pace: DeliveryPace | None = None,
    name: str = "sender",
    is_dead: Callable[[str], bool] = lambda _worker: False,
    patience: timedelta = timedelta(seconds=20),
) -> AsyncIterator[Deliveries]:
    """A worker whose messages reach the postbox at *url*."""
    clock = clock or FakeClock()
    allow = EgressConfig(allow=urlsplit(url).netloc, manners=HURRIED)

    # These channels have no secrets; who opens some is `tests/publish/test_channel_targets.py`.
    targets = Targets(ChannelSecrets(database), SecretBox(SetKey(None)), ())

    async def target_of(channel: Channel) -> Target:
        target = await targets.of(channel)
        return replace(target, config={**target.config, "url": url})

    async with Egress(allow, clock=clock, dice=lambda: 0.5) as egress:
        results = OutboxResults(database)
        tools = SendingTools(
            egress=egress,
            config=PublishConfig(base_url=BASE_URL),
            clock=clock,
            unsubscribe_link=lambda _channel: "",
        )
        sending = SendingParts(
            types=types,
            tools=tools,
            results=results,
            target_of=target_of,
            clock=clock,
            dice=lambda: 0.5,
            timeout=patience,
        )
        parts = DeliveryParts(
            outbox=Outbox(database),
            results=results,
            send=MessageSending(sending),
            types=types,
            publish=lambda task: publish_task(database, task, clock),
            clock=clock,
            is_dead=is_dead,
            worker=name,
        )
        quick = DeliveryPace(tick=timedelta(milliseconds=20), drained_for=timedelta(0))
        yield Deliveries(
            database=database, worker=DeliveryWorker(parts, pace or quick), clock=clock
        )
