"""Time zones to choose from, and the one that somebody means by what they typed."""

from __future__ import annotations

from functools import cache
from typing import Final
from zoneinfo import available_timezones

from clawfeed.domain.wall_clock import is_zone

# Names of offices and offsets, which nobody lives in; they are taken all the same.
_NOT_OFFERED: Final = (
    "Etc/", "US/", "Canada/", "Brazil/", "Mexico/", "Chile/", "posix/", "right/", "SystemV/",
)  # fmt: skip
LONGEST_ZONE: Final = 64


@cache
def zones() -> tuple[str, ...]:
    """All that are offered, by name. The first call reads a folder: not on the event loop."""
    places = (name for name in available_timezones() if "/" in name)
    return ("UTC", *sorted(name for name in places if not name.startswith(_NOT_OFFERED)))


def zone_meant(text: str) -> str | None:
    """The zone of this name, however it is capitalised, or of this city; None for no one."""
    name = "_".join(text.split())
    if not name or len(name) > LONGEST_ZONE:
        return None
    wanted = name.casefold()
    for zone in zones():
        if zone.casefold() == wanted:
            return zone
    cities = [zone for zone in zones() if zone.casefold().rpartition("/")[2] == wanted]
    if len(cities) == 1:
        return cities[0]
    return name if is_zone(name) else None
