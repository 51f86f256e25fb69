"""When a message may leave: its channel's hour and quiet hours, by the clock on its owner's wall.

Pure: the caller brings the moment.
"""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

from clawfeed.domain.channels.channel import ChannelTiming, QuietHours
from clawfeed.domain.editions.edition_period import EditionType

# What is ready this soon after its hour is late, not early: it leaves at once, not tomorrow.
LATE_DELIVERY_WINDOW = timedelta(hours=4)
DAY = timedelta(days=1)


def may_leave_at(timing: ChannelTiming, kind: EditionType, ready_at: datetime) -> datetime:
    """The first moment from *ready_at* on at which the channel wants an edition of this *kind*.

    News of the last four hours know no hour of the day: only quiet hours hold them up.
    """
    zone = ZoneInfo(timing.zone)
    wanted = ready_at
    if timing.deliver_at is not None and kind is not EditionType.FOUR_HOURS:
        wanted = _at_hour(timing.deliver_at, zone, ready_at)
    return wanted if timing.quiet is None else after_quiet(timing.quiet, zone, wanted)


def _at_hour(hour: time, zone: ZoneInfo, ready_at: datetime) -> datetime:
    """The next such hour; *ready_at* itself if it has only just passed."""
    today = ready_at.astimezone(zone).date()
    for days in (-1, 0, 1, 2):
        at = _moment(datetime.combine(today + days * DAY, hour), zone)
        if at >= ready_at:
            return at
        if ready_at - at < LATE_DELIVERY_WINDOW:
            return ready_at
    raise AssertionError(hour)  # two days hold every hour


def after_quiet(quiet: QuietHours, zone: ZoneInfo, moment: datetime) -> datetime:
    """*moment*, or the end of the quiet hours it falls into."""
    local = moment.astimezone(zone)
    wall = local.time()
    over_midnight = quiet.start > quiet.end
    is_evening = over_midnight and wall >= quiet.start
    is_quiet = is_evening or (quiet.start <= wall < quiet.end)
    if not (is_quiet or (over_midnight and wall < quiet.end)):
        return moment
    day = local.date() + DAY if is_evening else local.date()
    ends = datetime.combine(day, quiet.end)
    at = _moment(ends, zone)
    # The hour that comes twice in autumn: its second time, if we are in that already.
    return at if at > moment else _moment(ends.replace(fold=1), zone)


def _moment(wall: datetime, zone: ZoneInfo) -> datetime:
    """The moment at which the wall shows this; in the hour that spring skips, an hour later."""
    return wall.replace(tzinfo=zone).astimezone(UTC)
