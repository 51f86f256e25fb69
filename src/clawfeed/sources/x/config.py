"""What the config of an X source may hold: the same check with and without a back end (S001-17)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from clawfeed.domain.ids import JsonValue
from clawfeed.domain.sources.type_facts import SeveralNames
from clawfeed.sources.config.checks import check_keys, check_text
from clawfeed.sources.x.endpoints import By

HANDLE: Final = "[A-Za-z0-9_]{1,15}"  # without the "@" that people write before it
NUMBER: Final = re.compile(r"[0-9]{1,20}")
_HANDLE = re.compile(f"@?{HANDLE}")
# X takes 512 characters on its smallest plan.
_QUERY = re.compile(r"(?=.*\S)[^\x00-\x1f\x7f\ud800-\udfff]{1,512}")
_SEVERAL = re.compile(r"[\s,;]+")


def keys_of(by: By) -> tuple[str, ...]:
    """The keys that a type named *by* this one may have."""
    return (by.value,)


def check_config(by: By, config: Mapping[str, JsonValue]) -> list[str]:
    """A sentence for each thing that is wrong with the *config* of a type named *by* this key."""
    key = by.value
    problems = check_keys(config, keys_of(by))
    value = config.get(key)
    match by:
        case By.HANDLE:
            if several := _several(value):
                return [f"handle holds {several} names: add a source for each.", *problems]
            what = "the name of an account, like @openai"
            return [*check_text(config, key, _HANDLE, what, required=True), *problems]
        case By.QUERY:
            what = "what to search X for, in at most 512 characters"
            return [*check_text(config, key, _QUERY, what, required=True), *problems]
    if isinstance(value, int) and not isinstance(value, bool):
        config = {**config, key: str(value)}
    required = by is By.LIST
    what = "a number as in the address of the list" if required else "the number of an account"
    return [*check_text(config, key, NUMBER, what, required=required), *problems]


def several_handles(config: Mapping[str, JsonValue]) -> SeveralNames:
    """The handles in a config that should hold one: bare, each once, whatever its case.

    Older systems wrote them as a list under `handles`.
    """
    listed = config.get("handles")
    names = _names([config.get(By.HANDLE), listed])
    if len(names) < 2 and listed is None:
        return SeveralNames()
    bare = {name.removeprefix("@").lower(): name.removeprefix("@") for name in names}
    good = tuple(name for name in bare.values() if _HANDLE.fullmatch(name))
    return SeveralNames(good=good, bad=tuple(name for name in bare.values() if name not in good))


def _several(value: JsonValue) -> int:
    """How many values stand where one belongs; 0 if it is no such thing."""
    found = len(value) if isinstance(value, list | dict) else len(_names(value))
    return found if found > 1 else 0


def _names(value: JsonValue) -> list[str]:
    """Every name in *value*, however it is written."""
    match value:
        case dict():
            return _names(list(value.values()))
        case list():
            return [name for each in value for name in _names(each)]
        case str():
            return [name for name in _SEVERAL.split(value) if name]
    return []
