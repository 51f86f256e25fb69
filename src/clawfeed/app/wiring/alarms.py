"""Who looks for what is wrong, wired: the same watcher for every process that stays."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clawfeed.app.clock import system_clock
from clawfeed.app.settings.config import Config
from clawfeed.app.status.trouble_thresholds import trouble_thresholds
from clawfeed.app.wiring.channels import channels_of
from clawfeed.publish.alarm_notices import NoticeWriter
from clawfeed.publish.alarm_watcher import AlarmWatcher, DatabaseOutage, WatchTools
from clawfeed.publish.channel_targets import channels_of_the_house
from clawfeed.publish.direct_alarms import DirectNotices
from clawfeed.storage.database import Database

if TYPE_CHECKING:
    from clawfeed.egress.client import Egress


def alarm_watcher(
    config: Config, database: Database, egress: Egress, *, outage: DatabaseOutage | None = None
) -> AlarmWatcher:
    """Through *egress* the house's alarm channels are reached when the database cannot be used."""
    channels = channels_of(config, database)
    house = [
        each for each in channels_of_the_house(channels.types, channels.config) if each.gets_alarms
    ]
    direct = DirectNotices(types=channels.types, tools=channels.sending_tools(egress), house=house)
    tools = WatchTools(
        database=database,
        rules=trouble_thresholds(config),
        clock=system_clock,
        write=NoticeWriter(types=channels.types, link=config.server.base_url),
        direct=direct if house else None,
    )
    return AlarmWatcher(tools, outage)
