"""The parse workers' settings that the wiring would hand them: every built-in kind of document."""

from __future__ import annotations

from clawfeed.sources.parsing.pool import ParseConfig
from clawfeed.sources.source_types.built_in import BUILT_IN
from clawfeed.sources.source_types.source_type import documents_of

BUILT_IN_DOCUMENTS = ParseConfig(documents=documents_of(BUILT_IN))
