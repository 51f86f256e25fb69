"""How a source is doing: the conditions in SQL and the rule in Python say the same of each row."""

from __future__ import annotations

from itertools import product

from clawfeed.domain.ids import UserId
from clawfeed.domain.sources.source_status import Status, is_failing
from clawfeed.sources.source_types.built_in import BUILT_IN
from clawfeed.storage.database import Database, execute
from clawfeed.storage.sources.source_counts import followed_by
from clawfeed.storage.sources.source_status import SourceStates
from clawfeed.storage.sources.sources import SourceStore
from clawfeed.storage.sources.subscriptions import SubscriptionStore
from clawfeed.storage.sources.visible_sources import SourceFilter, SourceHealth, VisibleSources
from tests.storage.sources.polled import feed
from tests.support.api_callers import ANNA, add_people
from tests.support.clocks import NOON

# Whether it is active, why it is not, how often it failed.
ROWS = list(product((1, 0), (None, "person", "errors", "gone"), (0, 3)))


async def test_every_row_is_failing_fine_or_paused_wherever_it_is_told(database: Database) -> None:
    """What a person paused is not failing, though it failed before: in lists, counts and marks."""
    await add_people(database)
    ids = [
        (await SourceStore(database).add(feed(number), now=NOON)).id for number in range(len(ROWS))
    ]
    for id_, (is_active, paused_because, errors) in zip(ids, ROWS, strict=True):
        await execute(
            database,
            "UPDATE sources SET is_active = :is_active, paused_because = :paused_because, "
            "fetch_error_count = :errors, is_public = 1 WHERE id = :id",
            {"id": id_, "is_active": is_active, "paused_because": paused_because, "errors": errors},
        )
    reader = UserId(ANNA)
    await SubscriptionStore(database).change(reader, add=ids, now=NOON)

    visible = VisibleSources(database, BUILT_IN)
    listed = {
        health: await visible.list(reader, SourceFilter(health=health)) for health in SourceHealth
    }
    states = {each.source.id: each for each in await SourceStates(database).states()}
    counted = await followed_by(database, reader)

    failing = {
        id_
        for id_, (is_active, paused_because, errors) in zip(ids, ROWS, strict=True)
        if is_failing(is_active=bool(is_active), paused_because=paused_because, errors=errors)
    }
    by_hand = {id_ for id_, each in states.items() if each.status(NOON) is Status.PAUSED}
    found = {health: {each.id for each in rows} for health, rows in listed.items()}
    assert len(failing) == 4 + 4
    assert found == {
        SourceHealth.ANY: set(ids),
        SourceHealth.FAILING: failing,
        SourceHealth.PAUSED: by_hand,
        SourceHealth.FINE: set(ids) - failing - by_hand,
    }
    assert {id_ for id_, each in states.items() if each.is_failing} == failing
    assert {each.id for each in listed[SourceHealth.ANY] if each.is_failing} == failing
    assert (counted.failing, counted.paused) == (len(failing), len(by_hand))
    assert not any(each.is_failing for each in states.values() if each.source.id in by_hand)
