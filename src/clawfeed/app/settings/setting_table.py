"""Every setting there is: the house's own, and what the source types declare.

The only list: loading, `clawfeed doctor`, the page of the configuration, `.env.example` and the
documentation follow it (a test compares them).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from clawfeed.app.settings.setting_definitions import GROUPS, HOUSE_SETTINGS
from clawfeed.domain.errors import ConfigError
from clawfeed.domain.schedule.interval import OVERRIDE_PREFIX
from clawfeed.domain.settings.setting import Setting
from clawfeed.sources.source_types.source_type import SourceTypes, settings_of

OVERRIDES_BRANCH: Final = "fetch_intervals"


class SettingTable:
    """The settings of a ClawFeed that knows *types*, by name and by place in the YAML file."""

    def __init__(self, types: SourceTypes) -> None:
        self.of_types = settings_of(types)
        self.all = _in_groups((*self.of_types, *HOUSE_SETTINGS))
        _refuse_two_of_one_name(self.all)
        self.by_name = {setting.name: setting for setting in self.all}
        self.yaml_names = {
            path + name.removeprefix(setting.name).lower(): name
            for setting in self.all
            if setting.in_yaml
            for path in filter(None, (setting.path, setting.other_path))
            for name in setting.names
        }
        self.yaml_branches = {OVERRIDES_BRANCH} | {
            path.rsplit(".", depth)[0]
            for path in self.yaml_names
            for depth in range(1, path.count(".") + 1)
        }

    def yaml_name(self, path: str) -> str | None:
        """The variable that a place in the YAML file stands for."""
        branch, _, type_name = path.partition(".")
        if branch == OVERRIDES_BRANCH and type_name:
            return OVERRIDE_PREFIX + type_name.upper()
        return self.yaml_names.get(path)


def _in_groups(settings: Iterable[Setting[object]]) -> tuple[Setting[object], ...]:
    order = list(GROUPS)
    return tuple(sorted(settings, key=lambda each: order.index(each.group)))


def _refuse_two_of_one_name(settings: Iterable[Setting[object]]) -> None:
    taken: set[str] = set()
    for name in (name for each in settings for name in each.names):
        if name in taken:
            raise ConfigError(f"two settings are called {name}")
        taken.add(name)
