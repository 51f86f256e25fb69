"""How long a message that was not taken waits for its next try. Pure: the dice are passed in."""

from __future__ import annotations

from datetime import timedelta

# The last try comes 5 to 6 hours after the first: whoever is down for 5 still gets the edition.
MOST_ATTEMPTS = 12
FIRST_WAIT = timedelta(seconds=30)
LONGEST_WAIT = timedelta(hours=1)
# A rest that somebody asks for; a typo of ten years is a typo.
LONGEST_REST = timedelta(days=1)
# Added to the wait: who failed together must not come back together.
SPREAD = 0.2


def wait_before_retry(attempts: int, asked: timedelta | None, dice: float) -> timedelta:
    """After the *attempts*-th try: waits that double, never less than what was *asked* for."""
    doubled = min(FIRST_WAIT * (1 << min(max(attempts - 1, 0), 16)), LONGEST_WAIT)
    wait = max(doubled, min(asked or timedelta(0), LONGEST_REST))
    return wait * (1 + SPREAD * dice)
