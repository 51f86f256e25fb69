"""Time for a world that runs faster than ours."""

from __future__ import annotations

import time
from datetime import datetime, timedelta

from clawfeed.simulator.world import Clock


def sped_up(start: datetime, speed: float) -> Clock:
    """A clock that shows *start* now and runs *speed* times as fast as a wrist watch."""
    began = time.monotonic()
    return lambda: start + timedelta(seconds=(time.monotonic() - began) * speed)
