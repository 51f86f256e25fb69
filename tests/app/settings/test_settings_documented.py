"""The table, `.env.example` and the documentation name the same settings (S000-25)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from clawfeed.app.settings.config_loading import load_config
from clawfeed.app.settings.setting_definitions import GROUPS
from clawfeed.app.settings.setting_table import SettingTable
from clawfeed.domain.schedule.interval import OVERRIDE_PREFIX
from clawfeed.domain.settings.setting import Setting
from clawfeed.sources.source_types.built_in import BUILT_IN
from tests.support.manual import setting_complaints

ROOT = Path(__file__).parents[3]
EXAMPLE = (ROOT / ".env.example").read_text(encoding="utf-8")
MANUAL = (ROOT / "docs" / "configuration.md").read_text(encoding="utf-8")
TABLE = SettingTable(BUILT_IN)
INTERVALS = {OVERRIDE_PREFIX + each.name.upper() for each in BUILT_IN}


def assignments() -> dict[str, str]:
    return dict(re.findall(r"^#?([A-Z][A-Z0-9_]*)=(.*)$", EXAMPLE, re.MULTILINE))


@pytest.mark.parametrize("setting", TABLE.all, ids=lambda setting: setting.name)
def test_a_setting_is_in_both_with_its_default_and_its_sentence(setting: Setting[object]) -> None:
    assert setting_complaints(setting, EXAMPLE, MANUAL) == []


def test_neither_names_a_setting_that_does_not_exist() -> None:
    in_rows = set(re.findall(r"^\| `([A-Z][A-Z0-9_]*)`", MANUAL, re.MULTILINE))
    yaml_paths = set(re.findall(r"`([a-z]+(?:\.[a-z_]+)+)`", MANUAL))

    assert set(assignments()) == set(TABLE.by_name) | INTERVALS
    assert in_rows == set(TABLE.by_name) | INTERVALS
    assert yaml_paths <= set(TABLE.yaml_names)


def test_the_example_as_it_stands_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text(EXAMPLE, encoding="utf-8")

    config = load_config({}, directory=tmp_path)

    assert set(config.origin.values()) == {"default"}
    assert config.warnings == ()


def test_the_example_with_every_line_taken_in_gives_the_defaults(tmp_path: Path) -> None:
    text = "\n".join(f"{name}={value}" for name, value in assignments().items())
    (tmp_path / ".env").write_text(text, encoding="utf-8")
    (tmp_path / ".env").chmod(0o600)
    (tmp_path / "empty.env").touch()

    config = load_config({}, directory=tmp_path)

    default = load_config({}, directory=tmp_path, dotenv=tmp_path / "empty.env")
    for room in ("timezone", "type_settings", *(set(GROUPS) - {"general"})):
        assert getattr(config, room) == getattr(default, room)
    assert config.overrides == {each.name: each.minutes for each in BUILT_IN}
    assert config.warnings == ()


def test_the_yaml_example_of_the_manual_loads(tmp_path: Path) -> None:
    [example] = re.findall(r"```yaml\n(.*?)```", MANUAL, re.DOTALL)
    (tmp_path / "clawfeed.yaml").write_text(example, encoding="utf-8")

    config = load_config({"CONFIG_FILE": "clawfeed.yaml"}, directory=tmp_path)

    assert config.overrides == {"rss": 60, "reddit": 30}
    assert config.egress.allow == ("wiki.intranet:8080", "10.20.0.0/16")


def test_every_group_has_a_title_and_every_name_is_unique() -> None:
    assert {setting.group for setting in TABLE.all} == set(GROUPS)
    assert len(TABLE.by_name) == len(TABLE.all)
    assert len({setting.path for setting in TABLE.all}) == len(TABLE.all)
