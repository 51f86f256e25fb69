"""What stands in a statement where nobody set a bound."""

from __future__ import annotations

from typing import Final

# No table has as many rows, no column as large a number.
NO_LIMIT: Final = 2**53
# In seconds: after any moment there is.
LAST_DATE: Final = 1e12
