"""Sources that were polled, with what came of it."""

from __future__ import annotations

from datetime import timedelta

from clawfeed.domain.because import Because, Rule
from clawfeed.domain.errors import Reason
from clawfeed.domain.ids import SourceId
from clawfeed.domain.schedule.schedule import Mode, NextPoll, PollDecision, PollFindings, Rhythm
from clawfeed.domain.sources.source import Failed, Outcome
from clawfeed.sources.source_types.built_in import BUILT_IN
from clawfeed.storage.database import Database
from clawfeed.storage.polling.host_queue import ClaimRequest
from clawfeed.storage.polling.poll_queue import PollQueue
from clawfeed.storage.polling.poll_results import PollFinisher, PollRecord
from clawfeed.storage.sources.sources import NewSource
from tests.support.clocks import NOON

BROKEN = Failed(reason=Reason.BROKEN, detail="the server answered 500")
HOUR = timedelta(hours=1)
ORDER = ClaimRequest(now=NOON, limit=10, lease=timedelta(minutes=5), worker="test")
BECAUSE = Because(Rule.BACK_OFF, {"failures": 1})


def feed(number: int) -> NewSource:
    url = f"https://{number}.example/feed"
    return NewSource(type="rss", name=f"Feed {number}", config={"url": url}, host=f"{number}")


async def poll(
    database: Database,
    source_id: SourceId,
    outcome: Outcome,
    *,
    failures: int = 0,
    backoff: timedelta | None = None,
    paused: str | None = None,
) -> None:
    """One poll at NOON that ends in *outcome*, with the decision given."""
    claim = await PollQueue(database, types=BUILT_IN).claim_one(source_id, ORDER)
    assert claim
    next_poll = NextPoll(
        at=None if paused else NOON + (backoff or HOUR),
        because=BECAUSE,
        mode=Mode.FIXED,
        backoff_until=NOON + backoff if backoff else None,
    )
    decision = PollDecision(
        rhythm=Rhythm(fail_count=failures), next_poll=next_poll, paused_because=paused
    )

    def decide(_found: PollFindings) -> PollDecision:
        return decision

    await PollFinisher(database).finish(
        PollRecord(
            claim=claim,
            outcome=outcome,
            started_at=NOON,
            finished_at=NOON,
            worker="test",
            decide=decide,
        )
    )
