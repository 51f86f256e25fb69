"""What we do while our own network is down, and just after: little, then more and more."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

# One source is tried after this, then after twice as long, and so on.
FIRST_PROBE: Final = timedelta(seconds=15)
LONGEST_PROBE: Final = timedelta(minutes=5)
# Who could not be asked comes again after this: the next probe asks somebody else.
PUT_OFF: Final = timedelta(minutes=5)
# Everybody waits when the network is back: the slots in use double in this time.
RETURN_STEP: Final = timedelta(seconds=5)


def probe_wait(probes: int) -> timedelta:
    """How long to wait for the next probe, after so many that found nobody."""
    return min(FIRST_PROBE * (1 << min(probes, 10)), LONGEST_PROBE)


def slots_after(slots: int, back_for: timedelta) -> int:
    """How many of the *slots* to use when the network has been back for so long."""
    steps = int(max(back_for, timedelta(0)) / RETURN_STEP)
    return slots if steps >= slots.bit_length() else min(slots, 1 << steps)
