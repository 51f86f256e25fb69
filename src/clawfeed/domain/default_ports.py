"""The ports that an address need not say."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

DEFAULT_PORTS: Final[Mapping[str, int]] = {"http": 80, "https": 443}
