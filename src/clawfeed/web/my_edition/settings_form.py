"""When editions come, which and in whose words: the fields of the form, read and filled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import time

from clawfeed.domain.editions.edition_period import EditionType
from clawfeed.domain.editions.edition_scope import ReaderSettings
from clawfeed.domain.wall_clock import time_at
from clawfeed.domain.wording.because_wording import Language
from clawfeed.rendering.dates import zone_named
from clawfeed.storage.readers.reader_settings import SavedReaderSettings
from clawfeed.web.frame.page_rendering import PageView
from clawfeed.web.my_edition.time_zones import LONGEST_ZONE, zone_meant


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingsFields:
    """As typed, right or wrong."""

    types: Sequence[str]
    time: str
    zone: str
    language: str

    @classmethod
    def of(cls, saved: SavedReaderSettings) -> SettingsFields:
        settings = saved.settings
        return cls(
            types=saved.types,
            time=f"{settings.edition_time:%H:%M}",
            zone=settings.zone,
            language=settings.language,
        )

    @classmethod
    def read(cls, given: Mapping[str, str]) -> SettingsFields:
        return cls(
            types=[kind for kind in EditionType if given.get(f"type_{kind}")],
            time=given.get("time", "").strip()[:8],
            zone=given.get("zone", "").strip()[: LONGEST_ZONE + 1],
            language=given.get("language", ""),
        )

    def mistakes(self) -> dict[str, str]:
        """The key of a sentence for each field that makes no sense; nothing if all do."""
        found = {}
        if time_at(self.time) is None:
            found["time"] = "my.wrong_time"
        if zone_meant(self.zone) is None:
            found["zone"] = "my.wrong_zone"
        if self.language not in set(Language):
            found["language"] = "my.wrong_language"
        return found

    def saved(self) -> SavedReaderSettings:
        """What is to be kept, if there are no mistakes."""
        return SavedReaderSettings(
            settings=ReaderSettings(
                language=self.language,
                zone=zone_meant(self.zone) or "UTC",
                edition_time=time.fromisoformat(self.time),
            ),
            types=tuple(map(EditionType, self.types)),
        )


def settings_values(
    page: PageView, fields: SettingsFields, kept: SavedReaderSettings
) -> dict[str, object]:
    """What the form shows; the hour it is now, in the zone that is kept."""
    zone, name = zone_named(kept.settings.zone)
    return {
        "fields": fields,
        "edition_types": tuple(EditionType),
        "local_time": f"{page.now.astimezone(zone):%H:%M}",
        "kept_zone": name,
    }
