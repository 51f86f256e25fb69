"""Quotas on what is stored in a day: of a source, and of a person's own sources."""

from __future__ import annotations

from datetime import datetime, timedelta

from clawfeed.domain.because import Because, Rule
from clawfeed.domain.ids import UserId
from clawfeed.domain.people.users import Role
from clawfeed.domain.polling.storage_quota import Quota, Quotas
from clawfeed.domain.schedule.schedule import Mode, NextPoll, PollDecision, PollFindings, Rhythm
from clawfeed.domain.sources.item import Draft
from clawfeed.domain.sources.source import Fetched
from clawfeed.sources.source_types.built_in import BUILT_IN
from clawfeed.storage.database import Database
from clawfeed.storage.people.users import NewUser, UserStore
from clawfeed.storage.polling.host_queue import ClaimRequest
from clawfeed.storage.polling.poll_queue import PollQueue
from clawfeed.storage.polling.poll_results import PollFinisher, PollRecord
from clawfeed.storage.sources.sources import NewSource, SourceStore
from clawfeed.storage.sources.subscriptions import SubscriptionStore
from tests.support.clocks import NOON

DAY = timedelta(days=1)


async def poll(
    database: Database,
    quotas: Quotas,
    keys: str,
    *,
    name: str = "A",
    owner: UserId | None = None,
    is_public: bool = False,
    at: datetime = NOON,
    size: int = 1,
) -> tuple[int, Because | None]:
    """Poll a source that offers an item for each letter, the latest first."""
    store = SourceStore(database)
    new = NewSource(
        type="rss",
        name=name,
        config={"url": name},
        is_public=is_public or owner is None,
        created_by=owner,
    )
    known = [source for source in await store.list() if source.name == name]
    source = known[0] if known else await store.add(new, now=NOON)
    order = ClaimRequest(now=at, limit=1, lease=timedelta(minutes=5), worker="w")
    claim = await PollQueue(database, types=BUILT_IN).claim_one(source.id, order)
    assert claim is not None
    found: list[PollFindings] = []

    def decide(findings: PollFindings) -> PollDecision:
        found.append(findings)
        again = NextPoll(at=at + DAY, because=Because(Rule.ASKED), mode=Mode.FIXED)
        return PollDecision(rhythm=Rhythm(check_count=1), next_poll=again)

    drafts = tuple(Draft(title=key, url=f"u{key}", content="x" * size) for key in keys)
    record = PollRecord(
        claim=claim,
        outcome=Fetched(drafts=drafts, cursor={"etag": keys}),
        started_at=at,
        finished_at=at,
        worker="w",
        decide=decide,
    )
    stored = await PollFinisher(database, quotas).finish(record)
    return stored.inserted, found[-1].over_quota


async def test_a_source_stores_its_quota_and_the_rest_the_next_day(database: Database) -> None:
    """The latest first; the ETag of a document that was not stored whole is not remembered."""
    quotas = Quotas(source=Quota(items=3))
    full = Because(Rule.SOURCE_QUOTA, {"items": 3, "megabytes": 0})

    assert await poll(database, quotas, "ba") == (2, None)
    assert await poll(database, quotas, "edcba") == (1, full)
    assert await poll(database, quotas, "edcba") == (0, full)
    [source] = await SourceStore(database).list()
    assert source.cursor == {"etag": "ba"}
    assert await poll(database, quotas, "ab", name="another") == (2, None)

    assert await poll(database, quotas, "edcba", at=NOON + DAY) == (2, None)
    rows = await database.read("SELECT title FROM raw_items WHERE source_id = :id ORDER BY id",
                               {"id": source.id})  # fmt: skip
    assert "".join(row["title"] for row in rows) == "abecd"


async def test_bytes_count_too(database: Database) -> None:
    quotas = Quotas(source=Quota(megabytes=1))

    assert await poll(database, quotas, "cba", size=400_000) == (
        2,
        Because(Rule.SOURCE_QUOTA, {"items": 0, "megabytes": 1}),
    )


async def test_the_private_sources_of_a_person_share_a_quota(database: Database) -> None:
    ann = (await UserStore(database).add(NewUser(email="a@a.example", name="ann"), now=NOON)).id
    quotas = Quotas(source=Quota(items=3), person=Quota(items=4))
    full = Because(Rule.PERSON_QUOTA, {"items": 4, "megabytes": 0})

    assert await poll(database, quotas, "cba", owner=ann) == (3, None)
    assert await poll(database, quotas, "cba", name="B", owner=ann) == (1, full)
    # What everybody may read is on nobody's account.
    assert await poll(database, quotas, "cba", name="C") == (3, None)


async def test_making_them_public_is_no_way_around_a_persons_quota(database: Database) -> None:
    """But what others follow is not silenced by its owner's quota, nor is an admin's.

    With it, one account had a quota for each of its thousand sources, and none in all.
    """
    people = UserStore(database)
    ann = (await people.add(NewUser(email="a@a.example", name="ann"), now=NOON)).id
    ben = (await people.add(NewUser(email="b@a.example", name="ben"), now=NOON)).id
    new = NewUser(email="c@a.example", name="cleo", role=Role.ADMIN)
    cleo = (await people.add(new, now=NOON)).id
    quotas = Quotas(person=Quota(items=4))
    full = Because(Rule.PERSON_QUOTA, {"items": 4, "megabytes": 0})

    assert await poll(database, quotas, "cba", name="A", owner=ann) == (3, None)
    assert await poll(database, quotas, "cba", name="B", owner=ann, is_public=True) == (1, full)
    [public] = [each for each in await SourceStore(database).list() if each.name == "B"]
    await SubscriptionStore(database).change(ben, add=[public.id], now=NOON)
    assert await poll(database, quotas, "dcba", name="B", owner=ann, is_public=True) == (3, None)
    assert await poll(database, quotas, "edcba", name="C", owner=cleo, is_public=True) == (5, None)
