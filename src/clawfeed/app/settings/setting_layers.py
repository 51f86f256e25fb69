"""Where settings are written, one layer over the other, and what is wrong there."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from clawfeed.app.settings.dotenv import read_dotenv
from clawfeed.app.settings.setting_table import SettingTable
from clawfeed.domain.schedule.interval import (
    OVERRIDE_PREFIX,
    is_override_name,
    merge_overrides,
    read_overrides,
)
from clawfeed.domain.secret import MASK, Secret
from clawfeed.domain.settings.setting import FILE_SUFFIX, Setting
from clawfeed.domain.settings.value_kinds import ValueKind, parts_of
from clawfeed.sources.config.custom_api import HEADER_SECRETS
from clawfeed.sources.source_types.source_type import SourceTypes

# Docker and systemd hand over secrets of a few hundred bytes; a wrong path may be a huge file.
LARGEST_SECRET_FILE = 65_536
LONGEST_SHOWN_VALUE = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class _Layer:
    """What one place says: texts by variable name, empty ones left out."""

    origin: str
    texts: Mapping[str, str]
    where: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)

    def label(self, name: str) -> str:
        return self.labels.get(name, name + self.where)


class Layers:
    """What one run of `load_config` found so far, the strongest layer first, and what is wrong."""

    def __init__(self, directory: Path, types: SourceTypes) -> None:
        self.directory = directory
        self.types = types
        self.table = SettingTable(types)
        self.layers: list[_Layer] = []
        self.problems: list[str] = []
        self.warnings: list[str] = []
        self.origin: dict[str, str] = {}
        self.written: dict[str, str] = {}
        self.secrets: list[Secret] = []

    def add_environment(self, environ: Mapping[str, str]) -> None:
        self.layers.append(_Layer(origin="environment", texts=_filled(environ)))

    def add_dotenv(self, path: Path, *, is_named: bool) -> None:
        if is_named and not path.exists():
            self.problems.append(f"{path} does not exist: name a file with NAME=value lines")
        found = read_dotenv(path)
        self.problems += found.problems
        layer = _Layer(origin=".env", texts=_filled(found.values), where=f" in {path.name}")
        self.warnings += _unknown_names(layer, self.table)
        self.warnings += _open_to_others(layer, path, self.table)
        self.layers.append(layer)

    def add_yaml(self, path: Path) -> None:
        from clawfeed.app.settings.yaml_file import YamlReading

        found = YamlReading(path, self.table)
        found.read()
        self.problems += found.problems
        where = f" (fetch_intervals in {path.name})"
        self.layers.append(
            _Layer(origin="yaml", texts=_filled(found.texts), where=where, labels=found.labels)
        )

    def value(self, setting: Setting[object]) -> object:
        """The setting's value from the strongest layer; a wrong one becomes a problem."""
        found = self._find(setting)
        if not found and setting.other_name:
            found = self._find(self.table.by_name[setting.other_name])
        origin, label, text = found or ("default", setting.name, setting.default)
        self.origin[setting.name] = origin
        self.written[setting.name] = text or ""
        if text is None:
            return None
        try:
            value, self.written[setting.name] = setting.kind.parse(text), setting.kind.show(text)
        except ValueError:
            self.problems.append(_wrong(setting, label, text))
            return None
        if hidden := _secrets_in(setting.kind, text, value):
            self.secrets += hidden
            self.written[setting.name] = MASK
        return self.directory / value if isinstance(value, Path) else value

    def overrides(self) -> dict[str, int]:
        """The intervals by type. A wrong one is a warning, and the next layer counts (S000-2)."""
        minutes: dict[str, int] = {}
        self._remember_minutes({each.name: each.minutes for each in self.types}, "default")
        for layer in reversed(self.layers):
            found = read_overrides(layer.texts, self.types, where=layer.where)
            minutes = merge_overrides(minutes, found.minutes)
            self._remember_minutes(found.minutes, layer.origin)
            self.warnings += found.warnings
        return minutes

    def _remember_minutes(self, minutes: Mapping[str, float], origin: str) -> None:
        for type_name, number in minutes.items():
            name = OVERRIDE_PREFIX + type_name.upper()
            self.origin[name], self.written[name] = origin, str(number)

    def header_secrets(self) -> dict[str, str]:
        """The operator's own variables for `custom_api` headers, from `.env` and environment."""
        return {
            name: text
            for layer in reversed(self.layers)
            for name, text in layer.texts.items()
            if name.startswith(HEADER_SECRETS) and layer.origin != "yaml"
        }

    def _find(self, setting: Setting[object]) -> tuple[str, str, str] | None:
        """Origin, label and text from the strongest layer that has the setting or its file."""
        for layer in self.layers:
            text = layer.texts.get(setting.name)
            file_name = setting.name + FILE_SUFFIX
            if not setting.secret or file_name not in layer.texts:
                if text is not None:
                    return layer.origin, layer.label(setting.name), text
                continue
            if text is not None:
                both = f"{layer.label(setting.name)} and {layer.label(file_name)}"
                self.problems.append(f"{both} are both set: keep one of them")
                return None
            return self._from_file(layer, file_name)
        return None

    def _from_file(self, layer: _Layer, name: str) -> tuple[str, str, str] | None:
        """The content of the file that *name* points at.

        The path is never shown: people do put the secret itself there.
        """
        why = "it is empty"
        try:
            with (self.directory / layer.texts[name]).open(encoding="utf-8") as file:
                text = file.read(LARGEST_SECRET_FILE).strip()
        except UnicodeDecodeError:
            text, why = "", "it is not UTF-8 text"
        except (OSError, ValueError) as error:
            text, why = "", getattr(error, "strerror", None) or "the path is not valid"
        if not text:
            problem = f"{layer.label(name)} must name a file that holds the secret: {why}"
            self.problems.append(problem)
            return None
        return layer.origin, layer.label(name), text


def _filled(texts: Mapping[str, str]) -> dict[str, str]:
    return {name: text.strip() for name, text in texts.items() if text.strip()}


def _secrets_in(kind: ValueKind[object], text: str, value: object) -> list[Secret]:
    """What must be seen nowhere; by what is written, as a kind may make anything of a secret."""
    if kind.is_secret:
        return [Secret(part) for part in (parts_of(text) if kind.is_list else [text])]
    return [value] if isinstance(value, Secret) else []


def _wrong(setting: Setting[object], label: str, text: str) -> str:
    if setting.secret:
        return f"{label} cannot be used: expected {setting.kind.expected}"
    import json

    from clawfeed.app.settings.redaction import Redactor

    shown = Redactor()(text)
    if len(shown) > LONGEST_SHOWN_VALUE:
        shown = shown[:LONGEST_SHOWN_VALUE] + "…"
    # As JSON, so that a line break cannot pretend to be another problem.
    return f"{label} is {json.dumps(shown, ensure_ascii=False)}: expected {setting.kind.expected}"


def _unknown_names(layer: _Layer, table: SettingTable) -> list[str]:
    """A warning for each name that is nearly one of ours: probably a slip of the pen."""
    known = [name for setting in table.all for name in setting.names]
    strange = [name for name in layer.texts if name not in known and not is_override_name(name)]
    if not strange:
        return []
    from difflib import get_close_matches

    guesses = {name: get_close_matches(name.upper(), known, 1, 0.8) for name in strange}
    return [
        f"{layer.label(name)} is not a setting and is ignored: did you mean {guess[0]}?"
        for name, guess in guesses.items()
        if guess
    ]


def _open_to_others(layer: _Layer, path: Path, table: SettingTable) -> list[str]:
    texts = [layer.texts.get(setting.name, "") for setting in table.all if setting.secret]
    # The path of a SQLite file is no secret.
    holds_secret = any(text for text in texts if "@" in text or not text.startswith("sqlite:"))
    if not holds_secret or os.name == "nt" or not path.stat().st_mode & 0o077:
        return []
    return [f"{path.name} holds secrets and other users can read it: chmod 600 {path.name}"]
