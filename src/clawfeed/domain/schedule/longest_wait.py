"""The ceiling of all waits."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

# Whatever any rule says and anybody asks for, nobody is left alone for longer than this
# (S004-6, settled 11): a typo of ten years is a typo.
LONGEST_WAIT: Final = timedelta(hours=24)
