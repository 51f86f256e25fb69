"""The lines of `clawfeed status` about what is wrong besides single sources."""

from __future__ import annotations

from collections.abc import Sequence

import click

from clawfeed.app.processes.logging_setup import one_line
from clawfeed.cli.terminal.width import cut, terminal_width
from clawfeed.domain.alarm import AlarmCode, Trouble
from clawfeed.domain.wording.alarm_wording import alarm_words

# The table, the line about collectors and the line about today's edition tell of these.
_TOLD_CODES = frozenset(
    {
        AlarmCode.SOURCE_PAUSED,
        AlarmCode.SOURCE_STALE,
        AlarmCode.NO_COLLECTOR,
        AlarmCode.NO_EDITION_TRIGGER,
    }
)


def alarm_lines(troubles: Sequence[Trouble]) -> list[str]:
    """One line each."""
    width = terminal_width()
    texts = [alarm_words(each).text for each in troubles if each.code not in _TOLD_CODES]
    return [click.style(cut(one_line(text), width), fg="yellow") for text in texts]
