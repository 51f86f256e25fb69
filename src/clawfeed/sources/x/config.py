"""What the config of an X source may hold: the same check with and without a back end (S001-17)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from clawfeed.domain.ids import JsonValue
from clawfeed.sources.config.checks import check_keys, check_text

# The key in a type's config that says what to read.
KEYS: Final = {"twitter_feed": "handle", "twitter_list": "list_id", "twitter_search": "query"}
PERSONAL_KEY: Final = "user_id"

_HANDLE = re.compile(r"@?[A-Za-z0-9_]{1,15}")
_NUMBER = re.compile(r"[0-9]{1,20}")
# X takes 512 characters on its smallest plan.
_QUERY = re.compile(r"(?=.*\S)[^\x00-\x1f\x7f\ud800-\udfff]{1,512}")
_SEVERAL = re.compile(r"[\s,;]+")


def key_of(source_type: str) -> str:
    return KEYS.get(source_type, PERSONAL_KEY)


def check_config(source_type: str, config: Mapping[str, JsonValue]) -> list[str]:
    """A sentence for each thing that is wrong with *config*."""
    key = key_of(source_type)
    problems = check_keys(config, (key,))
    value = config.get(key)
    match key:
        case "handle":
            if several := _several(value):
                return [f"handle holds {several} names: add a source for each.", *problems]
            what = "the name of an account, like @openai"
            return [*check_text(config, key, _HANDLE, what, required=True), *problems]
        case "query":
            what = "what to search X for, in at most 512 characters"
            return [*check_text(config, key, _QUERY, what, required=True), *problems]
    if isinstance(value, int) and not isinstance(value, bool):
        config = {**config, key: str(value)}
    required = key == "list_id"
    what = "a number as in the address of the list" if required else "the number of an account"
    return [*check_text(config, key, _NUMBER, what, required=required), *problems]


def names_in(value: JsonValue) -> list[str]:
    """The handles somebody put where one belongs, in their order and each once; [] for one."""
    if isinstance(value, dict):
        value = list(value.values())
    texts = [each for each in value if isinstance(each, str)] if isinstance(value, list) else []
    texts = [value] if isinstance(value, str) else texts
    names = [name for text in texts for name in _SEVERAL.split(text) if name]
    return list(dict.fromkeys(names)) if len(names) > 1 else []


def _several(value: JsonValue) -> int:
    """How many values stand where one belongs; 0 if it is no such thing."""
    if isinstance(value, list | dict):
        return len(value) if len(value) > 1 else 0
    return len(names_in(value))
