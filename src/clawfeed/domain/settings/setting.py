"""One setting of the operator, and what settings are set to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Generic, TypeVar, cast

from clawfeed.domain.settings.value_kinds import ValueKind

FILE_SUFFIX = "_FILE"
T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True, slots=True)
class Setting(Generic[T_co]):
    """A setting. *default* is written as a person would write it; None means unset.

    *path* is its place in the YAML file; its first word is the group it is shown in. One of the
    house's own fills a field in a value of `Config`, that group's: the last word of its path,
    unless *field* says otherwise. The value of a *secret* appears in no message, and may come from
    the file that `<NAME>_FILE` names.
    """

    name: str
    path: str
    kind: ValueKind[T_co]
    default: str | None
    doc: str
    secret: bool = False
    field: str = ""
    other_path: str = ""  # a second place in the YAML file
    other_name: str = ""  # the setting that counts when this one is not set
    in_yaml: bool = True

    @property
    def names(self) -> tuple[str, ...]:
        return (self.name, self.name + FILE_SUFFIX) if self.secret else (self.name,)

    @property
    def group(self) -> str:
        return self.path.partition(".")[0] if "." in self.path else "general"

    @property
    def attribute(self) -> str:
        return self.field or self.path.rpartition(".")[2]


@dataclass(frozen=True, slots=True)
class SettingValues:
    """What settings are set to, by the settings themselves: so each value has its type.

    Whoever was not handed a setting's value cannot read it: `values[SETTING]` is then a KeyError,
    as it is for one that is unset and has no default (`get` gives None there).
    """

    by_setting: Mapping[Setting[object], object] = field(default_factory=dict, repr=False)

    def __getitem__(self, setting: Setting[T]) -> T:
        return cast(T, self.by_setting[setting])

    def get(self, setting: Setting[T]) -> T | None:
        return cast("T | None", self.by_setting.get(setting))

    def only(self, settings: Iterable[Setting[object]]) -> SettingValues:
        """Those of *settings* alone."""
        kept = {each: self.by_setting[each] for each in settings if each in self.by_setting}
        return SettingValues(kept)
