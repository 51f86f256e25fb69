"""What belongs to one person at X is read as them, with a token that stays fresh (S001-20)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from clawfeed.domain.errors import InvalidInputError, Reason, SourceError
from clawfeed.domain.ids import UserId
from clawfeed.domain.sources.source import Source
from clawfeed.simulator import Fault, Misbehaviour, status
from clawfeed.simulator.services.x import USER_TOKEN
from clawfeed.simulator.services.x_oauth import CLIENT_SECRET
from clawfeed.sources.discovery.discoverer import Discoverer
from clawfeed.sources.discovery.resolution import resolve
from clawfeed.sources.parsing.pool import ParseConfig, ParsePool
from clawfeed.sources.registry import Fetchers
from clawfeed.sources.source_types.built_in import BUILT_IN
from clawfeed.storage.database import Database, execute
from clawfeed.storage.leases import Holder
from clawfeed.storage.people.x_authorisations import XAuthorisations
from clawfeed.storage.sources.sources import NewSource, SourceStore
from tests.collector.conftest import until
from tests.sources.simulated_world import HOUR, Stage, fetched, keys, poll, rss, source_of, staged
from tests.sources.x.own_x import authorise, fetcher, oauth, x_tokens
from tests.sources.x.simulated_x import Purse
from tests.support.api_callers import ADMIN, ANNA, BEN, add_people
from tests.support.clocks import NOON
from tests.support.parse_settings import BUILT_IN_DOCUMENTS

TOKENS = "/x/2/oauth2/token"


@pytest.fixture
async def stage(tmp_path: Path) -> AsyncIterator[Stage]:
    async with staged(tmp_path) as found:
        yield found


@pytest.fixture
async def people(database: Database) -> Database:
    await add_people(database)
    return database


def asked(stage: Stage, path: str = TOKENS) -> int:
    return sum(entry.path == path for entry in stage.journal())


def of(owner: UserId | None, kind: str = "twitter_bookmarks") -> Source:
    return replace(source_of(kind), created_by=owner)


async def refused(tokens: object, owner: UserId) -> SourceError:
    with pytest.raises(SourceError) as caught:
        await tokens.token_for(owner)  # type: ignore[attr-defined] # any collector's
    return caught.value


async def test_everybody_reads_their_own_and_the_budget_counts_it(
    people: Database, stage: Stage
) -> None:
    """Two people, one house: neither sees the other's, and both are paid from one purse."""
    await authorise(people, stage, ANNA, reader=0)
    await authorise(people, stage, BEN, reader=1)
    purse = Purse()
    async with x_tokens(people, stage) as tokens:
        reading = fetcher(stage, tokens, purse=purse)
        [annas, bens] = [keys(await reading.fetch(of(user))) for user in (ANNA, BEN)]

    assert annas
    assert bens
    assert not annas & bens
    assert purse.used == len(annas) + len(bens)


async def test_a_token_is_renewed_once_however_many_collectors_want_it(
    people: Database, stage: Stage
) -> None:
    """X takes a refresh token once: a second use would end them all."""
    first = await authorise(people, stage, ANNA)
    stage.clock.advance(timedelta(hours=1, minutes=56))
    before = asked(stage)
    async with x_tokens(people, stage) as one, x_tokens(people, stage) as other:
        found = await asyncio.gather(*(each.token_for(ANNA) for each in (one, other) * 4))
    stage.clock.advance(timedelta(hours=1, minutes=56))
    async with x_tokens(people, stage) as later:
        last = await later.token_for(ANNA)

    assert asked(stage) == before + 2
    assert len({each.token for each in found}) == 1
    assert len({first.pair.access, found[0].token, last.token}) == 3


async def test_a_poll_that_is_given_up_does_not_lose_the_new_token(
    people: Database, stage: Stage
) -> None:
    old = await authorise(people, stage, ANNA)
    stage.clock.advance(2 * HOUR)
    slow = Misbehaviour(fault=Fault.SLOW_FIRST_BYTE, pause=timedelta(seconds=0.3))
    stage.world.misbehave(TOKENS, slow)
    before = asked(stage)
    async with x_tokens(people, stage) as tokens:
        poll = asyncio.create_task(tokens.token_for(ANNA))
        await until(lambda: asked(stage) > before)
        poll.cancel()
        with pytest.raises(asyncio.CancelledError):
            await poll

    stored = await XAuthorisations(people).find(ANNA)
    async with x_tokens(people, stage) as tokens:
        found = await tokens.token_for(ANNA)
    assert stored
    assert old.pair.access != stored.pair.access == found.token
    assert asked(stage) == before + 1


async def test_whoever_is_killed_before_storing_leaves_a_plain_sentence(
    people: Database, stage: Stage
) -> None:
    """X has given the new pair to a process that is gone: the person must authorise again."""
    old = await authorise(people, stage, ANNA)
    assert old.pair.refresh
    stage.clock.advance(2 * HOUR)
    assert await XAuthorisations(people).begin_renewal(
        old, Holder(worker="killed", lease=timedelta(0))
    )
    await oauth(stage).renew(old.pair.refresh)
    async with x_tokens(people, stage) as tokens:
        error = await refused(tokens, ANNA)
        before = asked(stage)
        again = await refused(tokens, ANNA)

    assert error.reason is again.reason is Reason.AUTH_REQUIRED
    assert "X no longer accepts the authorisation of @demo_reader" in error.detail
    assert asked(stage) == before
    assert "simulated-" not in error.detail


async def test_what_a_dead_worker_was_renewing_is_renewed_at_once(
    people: Database, stage: Stage
) -> None:
    """It was killed before it asked X: nobody waits for it, as they do for the living."""
    old = await authorise(people, stage, ANNA)
    stage.clock.advance(2 * HOUR)
    store, before = XAuthorisations(people), asked(stage)
    assert await store.begin_renewal(old, Holder(worker="dead", lease=timedelta(minutes=1)))

    of_living = await store.take_back_from_dead(lambda worker: worker != "dead")
    async with x_tokens(people, stage, is_dead=lambda worker: worker == "dead") as tokens:
        found = await tokens.token_for(ANNA)

    assert (of_living, asked(stage)) == (0, before + 1)
    assert found.token != old.pair.access


async def test_a_late_renewal_overwrites_nothing(people: Database, stage: Stage) -> None:
    """The person authorised us anew while a renewal of the old tokens was under way."""
    old = await authorise(people, stage, ANNA)
    store = XAuthorisations(people)
    new = await authorise(people, stage, ANNA)

    is_stored = await store.end_renewal(old, replace(old.pair), now=NOON)
    await store.end(old, "refused", now=NOON)

    found = await store.find(ANNA)
    assert not is_stored
    assert found
    assert (found.pair.access, found.ended_because) == (new.pair.access, None)


@pytest.mark.parametrize(
    ("fault", "secret", "reason"),
    [
        (status(503), None, Reason.BUSY),
        (status(500), None, Reason.BROKEN),
        (None, "wrong", Reason.MISCONFIGURED),
    ],
    ids=["busy", "broken", "our secret is wrong"],
)
async def test_what_is_not_the_persons_fault_does_not_end_their_authorisation(
    people: Database, stage: Stage, fault: Misbehaviour | None, secret: str | None, reason: Reason
) -> None:
    await authorise(people, stage, ANNA)
    stage.clock.advance(2 * HOUR)
    if fault:
        stage.world.misbehave(TOKENS, fault)
    async with x_tokens(people, stage, secret=secret or CLIENT_SECRET) as tokens:
        error = await refused(tokens, ANNA)
    stage.world.behave(TOKENS)
    stage.clock.advance(HOUR)  # the host asked for a rest
    async with x_tokens(people, stage) as tokens:
        found = await tokens.token_for(ANNA)

    assert error.reason is reason
    assert found.account


async def test_a_token_that_x_refuses_early_is_replaced_once(
    people: Database, stage: Stage
) -> None:
    await authorise(people, stage, ANNA)
    await execute(people, "UPDATE x_authorisations SET access_token = 'ended over there'")
    async with x_tokens(people, stage) as tokens:
        result = await fetcher(stage, tokens).fetch(of(ANNA))

    assert fetched(result).drafts


async def test_after_a_revocation_at_x_the_source_asks_for_a_new_authorisation(
    people: Database, stage: Stage
) -> None:
    """And the new one takes it up at once, though it was paused by its failures."""
    old = await authorise(people, stage, ANNA)
    new = NewSource(type="twitter_bookmarks", name="b", is_public=False, created_by=ANNA)
    stored = await SourceStore(people).add(new, now=NOON)
    await oauth(stage).revoke(old.pair.access)
    async with x_tokens(people, stage) as tokens:
        with pytest.raises(SourceError) as caught:
            await fetcher(stage, tokens).fetch(stored)
    await execute(
        people,
        "UPDATE sources SET is_active = 0, paused_because = 'errors', fetch_error_count = 5",
    )

    await authorise(people, stage, ANNA)

    assert caught.value.reason is Reason.AUTH_REQUIRED
    [row] = await people.read("SELECT is_active, fetch_error_count FROM sources")
    assert (row["is_active"], row["fetch_error_count"]) == (1, 0)


async def test_another_account_has_other_posts(people: Database, stage: Stage) -> None:
    """What was read of the first says nothing of the second."""
    await authorise(people, stage, ANNA, reader=0)
    async with x_tokens(people, stage) as tokens:
        reading = fetcher(stage, tokens, "twitter_foryou")
        _, source = await poll(reading, of(ANNA, "twitter_foryou"))
        await authorise(people, stage, ANNA, reader=1)
        again, source = await poll(reading, source)

    assert len(fetched(again).drafts) == 20
    assert str(source.cursor["user_id"]).endswith("2")


async def test_the_houses_token_is_for_a_house_of_one(people: Database, stage: Stage) -> None:
    """In a house of many it would show one person's X to the others."""
    async with x_tokens(people, stage, house=USER_TOKEN) as tokens:
        of_many = await refused(tokens, ADMIN)
        await execute(people, "UPDATE users SET disabled_at = 1 WHERE id <> 1")
        of_one = await fetcher(stage, tokens).fetch(of(ADMIN))
        of_nobody = await fetcher(stage, tokens).fetch(of(None))
        of_gone = await refused(tokens, BEN)

    assert of_many.reason is of_gone.reason is Reason.AUTH_REQUIRED
    assert "clawfeed x authorise" in of_many.detail
    assert keys(of_one) == keys(of_nobody)


async def test_a_bridge_that_is_signed_in_as_the_operator_is_for_a_house_of_one(
    people: Database, stage: Stage
) -> None:
    items = [f"<title>mine</title><link>https://x.com/a/status/{n}</link>" for n in range(2)]
    stage.answer_with(path := "/feeds/harbour-times.xml", rss(*items), "application/rss+xml")
    bridges = (f"{stage.url}{path}?of={{type}}",)
    async with x_tokens(people, stage) as tokens, ParsePool(BUILT_IN_DOCUMENTS) as parse:
        reading = fetcher(stage, tokens, bridges=bridges, parse=parse)
        with pytest.raises(SourceError) as caught:
            await reading.fetch(of(ANNA))
        before = asked(stage, path)
        await execute(people, "UPDATE users SET disabled_at = 1 WHERE id <> 2")
        result = await reading.fetch(of(ANNA))

    assert (caught.value.reason, before) == (Reason.AUTH_REQUIRED, 0)
    assert len(keys(result)) == 2


async def test_a_used_up_window_of_the_api_does_not_keep_anybody_from_authorising(
    people: Database, tmp_path: Path
) -> None:
    """A code of X lives half a minute, a window's rest a quarter of an hour."""
    async with staged(tmp_path, x_limit=2) as stage:
        await authorise(people, stage, ANNA)
        async with x_tokens(people, stage) as tokens:
            for _ in range(2):
                await fetcher(stage, tokens).fetch(of(ANNA))
            with pytest.raises(SourceError) as caught:
                await fetcher(stage, tokens).fetch(of(ANNA))
        bens = await authorise(people, stage, BEN, reader=1)

    assert caught.value.postponed
    assert bens.handle == "demo_reader1"


async def test_an_address_of_ones_own_is_shown_as_oneself(people: Database, stage: Stage) -> None:
    """What would `x.com/i/bookmarks` be? Bookmarks, those of who asks."""
    await authorise(people, stage, BEN, reader=1)
    async with x_tokens(people, stage) as tokens:
        reading = fetcher(stage, tokens)
        fetchers = Fetchers(BUILT_IN)
        fetchers.add("twitter_bookmarks", reading)
        discoverer = Discoverer(
            egress=stage.egress,
            parse=ParsePool(ParseConfig()),
            clock=stage.clock,
            types=BUILT_IN,
        )
        found = await resolve("https://x.com/i/bookmarks", discoverer, fetchers, owner=BEN)
        bens = fetched(await reading.fetch(of(BEN))).drafts
        with pytest.raises(InvalidInputError, match="authorise ClawFeed at X"):
            await resolve("https://x.com/i/bookmarks", discoverer, fetchers, owner=ANNA)

    assert found.preview == bens[: len(found.preview)]
    assert (found.new.type, found.new.is_public) == ("twitter_bookmarks", False)
