"""The operator's settings that a source type needs: its descriptor alone declares them."""

from __future__ import annotations

from typing import TypeVar

from clawfeed.domain.settings.setting import Setting
from clawfeed.domain.settings.value_kinds import ValueKind

T = TypeVar("T")


def type_setting(name: str, kind: ValueKind[T], default: str | None, doc: str) -> Setting[T]:
    """A setting of a type, named as the environment has it; in YAML it stands under `sources`.

    *default* is written as a person would write it, and *doc* is one line for people. One whose
    kind is secret, such as `SECRET`, is shown nowhere, and may come from the file that
    `<NAME>_FILE` names.
    """
    path = f"sources.{name.lower()}"
    return Setting(name, path, kind, default, doc, secret=kind.is_secret)
