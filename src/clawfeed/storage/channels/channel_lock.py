"""Changes of one channel, one after another, where they decide by where it leads."""

from __future__ import annotations

from clawfeed.domain.channels.channel import Channel
from clawfeed.domain.errors import ChangedMeanwhileError
from clawfeed.storage.channels.channel_row import CHANNEL_COLUMNS, to_channel
from clawfeed.storage.database import Statement, Steps


def require_unmoved(seen: Channel) -> Steps[None]:
    """Lock the row until the transaction ends, then look: nobody moves it from here on."""
    rows = yield Statement(
        "UPDATE channels SET updated_at = updated_at WHERE id = :id "  # noqa: S608 -- our own constant
        f"RETURNING {CHANNEL_COLUMNS}",
        {"id": seen.id},
    )
    for current in map(to_channel, rows):
        if (current.address, current.config) != (seen.address, seen.config):
            raise ChangedMeanwhileError(
                f"channel {seen.id} was changed meanwhile: look at it and try again"
            )
