"""How many sources one person may have, and how many they may add in a day (T26)."""

from __future__ import annotations

from datetime import datetime, timedelta

from clawfeed.domain.errors import QuotaError, RefusalCode
from clawfeed.domain.ids import UserId
from clawfeed.storage.database import Statement, Steps
from clawfeed.storage.timestamps import seconds

DAY = timedelta(days=1)
# As much as one person may follow by themselves (T26).
MOST_SOURCES = 1_000


def check_source_quota(owner: UserId, most: int, now: datetime) -> Steps[None]:
    """Raise `QuotaError` if *owner* has *most*, or added twice as many within a day."""
    [row] = yield Statement(
        """
        SELECT coalesce(sum(1 - is_deleted), 0) AS kept,
            coalesce(sum(CASE WHEN created_at > :yesterday THEN 1 ELSE 0 END), 0) AS today
        FROM sources WHERE created_by = :id
        """,
        {"id": owner, "yesterday": seconds(now - DAY)},
    )
    if row["kept"] >= most:
        raise QuotaError(
            f"you have {row['kept']} sources of your own, and {most} is the most; "
            "delete some first",
            RefusalCode.TOO_MANY,
            most=most,
        )
    # A deleted one leaves its row: adding and deleting in turns must not fill the disk.
    if row["today"] >= 2 * most:
        raise QuotaError(
            f"you added {row['today']} sources within a day; add more tomorrow",
            RefusalCode.TOO_MANY_TODAY,
            most=2 * most,
        )
