"""Every setting as it counts now, for the page that shows them to admins: no secret is in it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator

from clawfeed.app.doctor_findings.installation import examine_running
from clawfeed.app.settings.config import Config
from clawfeed.app.settings.setting_definitions import GROUPS
from clawfeed.app.settings.setting_table import SettingTable
from clawfeed.domain.schedule.interval import OVERRIDE_PREFIX
from clawfeed.sources.config.custom_api import HEADER_SECRET_HOST
from clawfeed.sources.source_types.source_type import SourceTypes
from clawfeed.storage.database import Database
from clawfeed.web.operations.configuration import (
    DEFAULT,
    SECRET,
    ConfigurationFacts,
    EffectiveSetting,
    ExaminedThing,
    TypeInterval,
)

# Where the variables come from that operators name themselves.
_OWN_NAMES = "sources"


def configuration_facts(
    config: Config, types: SourceTypes, database: Database
) -> ConfigurationFacts:
    return ConfigurationFacts(
        groups=tuple(GROUPS),
        settings=(*_settings(config), *_header_secrets(config)),
        intervals=tuple(_intervals(config, types)),
        default_pack=config.people.default_pack,
        examine=_examining(config, database),
    )


def _settings(config: Config) -> Iterator[EffectiveSetting]:
    settings = SettingTable(config.types).by_name
    for name, text, origin in config.describe():
        setting = settings.get(name)
        if setting is None:  # intervals by type have a list of their own
            continue
        yield EffectiveSetting(
            name=name,
            group=setting.group,
            text=SECRET if setting.secret and text else text,
            origin=_origin(origin),
            meaning=setting.doc,
            is_secret=setting.secret,
        )


def _header_secrets(config: Config) -> Iterator[EffectiveSetting]:
    for name in sorted(config.header_secrets):
        if not name.endswith(HEADER_SECRET_HOST):
            yield EffectiveSetting(
                name=name,
                group=_OWN_NAMES,
                text=SECRET,
                origin="",  # `.env` or the environment
                meaning="A secret for the headers of custom_api sources.",
                is_secret=True,
            )


def _intervals(config: Config, types: SourceTypes) -> Iterator[TypeInterval]:
    for facts in types:
        name = OVERRIDE_PREFIX + facts.name.upper()
        yield TypeInterval(
            type=facts.name,
            minutes=config.overrides.get(facts.name, facts.minutes),
            origin=_origin(config.origin.get(name, DEFAULT)),
        )


def _origin(text: str) -> str:
    """As texts name it."""
    return "dotenv" if text == ".env" else text


def _examining(
    config: Config, database: Database
) -> Callable[[], Awaitable[tuple[ExaminedThing, ...]]]:
    async def examine() -> tuple[ExaminedThing, ...]:
        found = await examine_running(config, database)
        return tuple(
            ExaminedThing(severity=str(each.decision), about=each.about, text=each.text)
            for each in found
        )

    return examine
