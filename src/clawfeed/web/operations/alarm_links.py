"""Where one goes to mend what rings: a page, or a part of the overview."""

from __future__ import annotations

from typing import Final

from clawfeed.domain.alarm import AlarmCode

OVERVIEW: Final = "/operations"
# Of one source it is that source, where others may see it.
LINKS: Final = {
    AlarmCode.SOURCE_PAUSED: "/sources",
    AlarmCode.SOURCE_STALE: "/sources",
    AlarmCode.SOURCES_OVERDUE: f"{OVERVIEW}#live-collectors",
    AlarmCode.POLLS_FAILING: f"{OVERVIEW}#live-failure-reasons",
    AlarmCode.NO_COLLECTOR: f"{OVERVIEW}#live-collectors",
    AlarmCode.NO_EDITION_TRIGGER: f"{OVERVIEW}/editions",
    AlarmCode.EDITION_UNFINISHED: f"{OVERVIEW}/editions",
    AlarmCode.EDITION_MISSING: f"{OVERVIEW}/editions",
    AlarmCode.NO_DELIVERY: f"{OVERVIEW}/outbox?state=waiting",
    AlarmCode.CHANNEL_FAILED: f"{OVERVIEW}/outbox?state=dead",
    AlarmCode.MODEL_CAP_REACHED: f"{OVERVIEW}#live-budgets",
    AlarmCode.READS_SPENT: f"{OVERVIEW}#live-budgets",
    AlarmCode.DATABASE_FAILED: f"{OVERVIEW}/configuration",
}


def address_of(link: str) -> str:
    """The page itself, without what is looked at there."""
    return link.partition("#")[0].partition("?")[0]


def on_the_overview(code: AlarmCode) -> str:
    """The same, as a link there: only a fragment where the overview itself tells more.

    Empty of a database that fails: no other page opens either.
    """
    link = LINKS[code]
    if code is AlarmCode.DATABASE_FAILED:
        return ""
    return link.removeprefix(OVERVIEW) if link.startswith(f"{OVERVIEW}#") else link
