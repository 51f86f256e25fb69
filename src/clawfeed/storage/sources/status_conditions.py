"""How a source is doing, as conditions over the alias `s` (`domain.sources.source_status`)."""

from __future__ import annotations

from typing import Final

from clawfeed.domain.sources.source_status import PAUSED_BY_FAILURES

_PAUSES = ", ".join(f"'{pause}'" for pause in PAUSED_BY_FAILURES)
# Its failures stopped it; somebody did. An older system did not write down why.
PAUSED_BY_ERROR: Final = f"(s.is_active = 0 AND coalesce(s.paused_because, '') IN ({_PAUSES}))"
PAUSED_BY_HAND: Final = f"(s.is_active = 0 AND NOT {PAUSED_BY_ERROR})"
# `is_failing`: a table test holds the two against each other.
FAILING: Final = f"(s.is_active = 1 AND s.fetch_error_count > 0 OR {PAUSED_BY_ERROR})"
FINE: Final = "(s.is_active = 1 AND s.fetch_error_count = 0)"
