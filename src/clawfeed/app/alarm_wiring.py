"""Who looks for what is wrong, wired: the same watcher for every process that stays."""

from __future__ import annotations

from clawfeed.app.clock import system_clock
from clawfeed.app.config import Config
from clawfeed.app.trouble_rules import trouble_rules
from clawfeed.publish.alarm_notices import NoticeWriter
from clawfeed.publish.alarm_watcher import AlarmWatcher, DatabaseOutage, DirectNotice, WatchTools
from clawfeed.publish.channel_types.built_in import BUILT_IN
from clawfeed.storage.database import Database


def alarm_watcher(
    config: Config,
    database: Database,
    *,
    outage: DatabaseOutage | None = None,
    direct: DirectNotice | None = None,
) -> AlarmWatcher:
    """*direct* reaches the house's alarm channels when the database cannot be used."""
    tools = WatchTools(
        database=database,
        rules=trouble_rules(config),
        clock=system_clock,
        write=NoticeWriter(types=BUILT_IN, link=config.server.base_url),
        direct=direct,
    )
    return AlarmWatcher(tools, outage)
