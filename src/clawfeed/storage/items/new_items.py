"""Which items of a poll were never seen before; these are stored (S001-2).

One question tells what is known, in one row: SQLite's writer gives the interpreter away at each
row it fetches, and waits to get it back.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import islice

import orjson

from clawfeed.domain.backtest.feed_overflow import is_overflown
from clawfeed.domain.because import Because
from clawfeed.domain.ids import SourceId
from clawfeed.domain.schedule.cadence import MANY_IN_ONE_DAY
from clawfeed.domain.schedule.schedule import PollFindings
from clawfeed.domain.sources.item import Draft, dedup_key
from clawfeed.storage.database import Database, Dialect, Insert, Row, SqlValue, Statement, Steps
from clawfeed.storage.items.daily_quota_use import QuotaOwner, count_stored
from clawfeed.storage.json_columns import write_object
from clawfeed.storage.timestamps import moment_or_none, seconds_or_none

# The rules look at the latest 20 and 30 moments, and at how many items each brought, up to a day's
# worth (S004-2, S004-3): of fifty a day that are all stamped with midnight, thirty tell nothing.
LATEST_DATES = 30
# Beyond any history that is read.
MOST_AT_ONCE = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class PolledDrafts:
    """What one poll brought. *dates*: how many of older items the decision needs in any case.

    *known*: how many more it would have brought, were they not stored.
    """

    source_id: SourceId
    drafts: tuple[Draft, ...]
    known: int
    at: float
    dates: int
    was_polled_before: bool
    quota_owner: QuotaOwner | None = None  # whose quotas count; None: nobody's


def store_arrivals(arrivals: PolledDrafts, dialect: Dialect) -> Steps[PollFindings]:
    """Store what is new, and tell what the decision depends on."""
    if not arrivals.drafts and not arrivals.dates:
        return PollFindings(inserted=0, published_at=None)
    keyed = _by_key(arrivals)
    rows = yield _question(arrivals, list(keyed), dialect)
    known, dates = _answer(rows)
    new = {key: draft for key, draft in keyed.items() if key not in known}
    over_quota = None
    if new:
        new, over_quota = yield from _within_quotas(arrivals, new)
        yield from _insert(arrivals.source_id, new, arrivals.at)
    return _found(arrivals, dates, new.values(), over_quota)


def _within_quotas(
    arrivals: PolledDrafts, new: dict[str, Draft]
) -> Steps[tuple[dict[str, Draft], Because | None]]:
    """As many of *new* as may be stored today, the latest of them, and why not all."""
    if arrivals.quota_owner is None:
        return new, None
    latest_first = list(reversed(new.items()))
    sizes = [_size(draft) for _, draft in latest_first]
    fits, why = yield from count_stored(arrivals.quota_owner, sizes, arrivals.at)
    return (dict(reversed(latest_first[:fits])) if why else new), why


def _size(draft: Draft) -> int:
    """About as many bytes as it takes to store."""
    text = f"{draft.title}{draft.url or ''}{draft.author or ''}{draft.content}"
    return len(text) if text.isascii() else len(text.encode("utf-8", "replace"))


async def preview_arrivals(arrivals: PolledDrafts, database: Database) -> PollFindings:
    """What `store_arrivals` will tell, by a read: nobody else stores for a source that we hold."""
    keyed = _by_key(arrivals)
    question = _question(arrivals, list(keyed), database.dialect)
    known, dates = _answer(await database.read(question.sql, question.params))
    return _found(arrivals, dates, [draft for key, draft in keyed.items() if key not in known])


def _by_key(arrivals: PolledDrafts) -> dict[str, Draft]:
    # Of two entries with one key the first of the document counts. Oldest first, so that ids
    # follow the order of publication within a document.
    return {dedup_key(arrivals.source_id, draft): draft for draft in reversed(arrivals.drafts)}


def _found(
    arrivals: PolledDrafts,
    dates: tuple[datetime, ...],
    new: Collection[Draft],
    over_quota: Because | None = None,
) -> PollFindings:
    return PollFindings(
        inserted=len(new),
        published_at=_latest(arrivals, dates, new),
        new=tuple(draft.published_at for draft in new),
        is_overflown=is_overflown(
            new=len(new),
            held=len(arrivals.drafts) + arrivals.known,
            was_polled_before=arrivals.was_polled_before,
        ),
        over_quota=over_quota,
    )


def _question(arrivals: PolledDrafts, keys: list[str], dialect: Dialect) -> Statement:
    """Which of *keys* are stored, and the dates of the source's latest items."""
    # CROSS JOIN keeps SQLite to our order of tables, and a number in the text from preparing the
    # statement anew for each `:wanted`. The bounds keep a damaged date out: to SQLite, text and
    # bytes are larger than any number.
    wanted = max(arrivals.dates, LATEST_DATES) if keys else arrivals.dates
    return Statement(
        f"""
        SELECT
            (SELECT {dialect.as_json}(dedup_key)
             FROM {dialect.texts_in_json} AS asked CROSS JOIN seen_items
             WHERE source_id = :id AND dedup_key = asked.value) AS known,
            {dialect.as_json}(published_at) AS dates, {dialect.as_json}(items) AS items
        FROM (
            SELECT published_at, count(*) AS items FROM seen_items
            WHERE source_id = :id AND published_at > 0 AND published_at < 1e12
            GROUP BY published_at ORDER BY published_at DESC LIMIT {wanted:d}
        ) AS latest
        """,  # noqa: S608 -- our own constants, and a number
        {"id": arrivals.source_id, "json": orjson.dumps(keys).decode()},
    )


def _answer(rows: list[Row]) -> tuple[frozenset[str], tuple[datetime, ...]]:
    names = ("known", "dates", "items")
    known, dates, items = (orjson.loads(rows[0][name] or "[]") for name in names)
    moments = ((moment_or_none(date), count) for date, count in zip(dates, items, strict=True))
    return frozenset(known), tuple(
        moment for moment, count in moments if moment for _ in range(min(count, MOST_AT_ONCE))
    )


def _latest(
    arrivals: PolledDrafts, stored: tuple[datetime, ...], new: Collection[Draft]
) -> tuple[datetime, ...] | None:
    """The latest dates, newest first; None if nothing is new and nobody asked."""
    if not new:
        return _kept(stored, arrivals.dates) if arrivals.dates else None
    dates = [*stored, *(draft.published_at for draft in new if draft.published_at)]
    return _kept(sorted(dates, reverse=True), max(arrivals.dates, LATEST_DATES))


def _kept(dates: Iterable[datetime], most: int) -> tuple[datetime, ...]:
    """Of the latest *most* moments as many items as a rule asks for; of a whole history all."""
    if most > LATEST_DATES:
        return tuple(islice(dates, most))
    kept: list[datetime] = []
    items: Counter[datetime] = Counter()
    for date in dates:
        items[date] += 1
        if len(items) > most:
            break
        if items[date] <= MANY_IN_ONE_DAY:
            kept.append(date)
    return tuple(kept)


def _insert(source_id: SourceId, new: Mapping[str, Draft], at: float) -> Steps[None]:
    if not new:
        return
    dates = {key: seconds_or_none(draft.published_at) for key, draft in new.items()}
    yield Insert(
        table="seen_items",
        columns=("source_id", "dedup_key", "published_at", "first_seen_at"),
        rows=[(source_id, key, dates[key], at) for key in sorted(new)],
    )
    yield Insert(
        table="raw_items",
        columns=(
            "source_id", "title", "url", "author", "content", "fetched_at", "published_at",
            "dedup_key", "metadata",
        ),
        rows=[_item_row(source_id, key, draft, at, dates[key]) for key, draft in new.items()],
    )  # fmt: skip


def _item_row(
    source_id: SourceId, key: str, draft: Draft, at: float, published_at: float | None
) -> tuple[SqlValue, ...]:
    return (
        source_id,
        draft.title,
        draft.url,
        draft.author,
        draft.content,
        at,
        published_at,
        key,
        write_object(draft.metadata),
    )
