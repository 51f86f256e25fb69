"""Where a setting comes from, and what the rooms get."""

from __future__ import annotations

import dataclasses
from datetime import timedelta
from pathlib import Path

import pytest

from clawfeed.app.settings.config import Config
from clawfeed.app.settings.config_loading import load_config
from clawfeed.app.settings.setting_definitions import GROUPS, HOUSE_SETTINGS
from clawfeed.domain.secret import Secret
from clawfeed.sources.x.settings import X_API_BASE_URL, X_BRIDGES


def write_yaml(directory: Path, text: str) -> dict[str, str]:
    (directory / "clawfeed.yaml").write_text(text, encoding="utf-8")
    return {"CONFIG_FILE": "clawfeed.yaml"}


def test_everything_has_a_default(tmp_path: Path) -> None:
    """(S000-6, S000-9, S003-6, settled 1, 2, 10)."""
    config = load_config({}, directory=tmp_path)

    assert config.storage.sqlite_path == tmp_path / "data" / "clawfeed.db"
    assert config.storage.batch_size == 100
    assert config.storage.enable_wal
    assert config.storage.enable_time_persistence
    assert config.storage.cleanup_old_states
    assert config.storage.state_retention == timedelta(days=30)
    assert config.storage.raw_items_ttl == timedelta(days=30)
    assert (config.server.host, config.server.port) == ("127.0.0.1", 8767)
    assert config.server.base_url == "http://127.0.0.1:8767"
    assert config.server.api_key is None
    assert config.timezone == "UTC"
    assert config.collector.tick == timedelta(seconds=60)
    assert config.collector.concurrency == 5
    assert config.collector.auto_pause_after == 5
    assert config.collector.scheduler_policy == "cadence"
    assert config.fetch.timeout == timedelta(seconds=10)
    assert config.fetch.max_bytes is None
    assert config.egress.allow == ()
    assert (config.log.level, config.log.format, config.log.no_color) == ("info", "auto", False)
    assert config.type_settings[X_API_BASE_URL] == "https://api.x.com"
    assert config.overrides == {}
    assert config.warnings == ()
    assert set(config.origin.values()) == {"default"}


@pytest.mark.parametrize(
    ("in_yaml", "in_dotenv", "in_env", "port", "origin"),
    [
        ("", "", "", 8767, "default"),
        ("1001", "", "", 1001, "yaml"),
        ("1001", "1002", "", 1002, ".env"),
        ("1001", "1002", "1003", 1003, "environment"),
        ("1001", "", "1003", 1003, "environment"),
        ("", "1002", "  ", 1002, ".env"),
        ("null", "", "", 8767, "default"),
    ],
)
def test_the_environment_beats_dotenv_beats_yaml_beats_the_default(
    tmp_path: Path, *, in_yaml: str, in_dotenv: str, in_env: str, port: int, origin: str
) -> None:
    """(S003-6) An empty value counts as not set."""
    environ = write_yaml(tmp_path, f"server:\n  port: {in_yaml}\n")
    (tmp_path / ".env").write_text(f"DIGEST_PORT={in_dotenv}\n")

    config = load_config({**environ, "DIGEST_PORT": in_env}, directory=tmp_path)

    assert config.server.port == port
    assert config.origin["DIGEST_PORT"] == origin


@pytest.mark.parametrize(
    ("environ", "tick"),
    [
        ({}, 60),
        ({"COLLECTOR_INTERVAL": "30"}, 30),
        ({"COLLECTOR_TICK": "5", "COLLECTOR_INTERVAL": "30"}, 5),
        ({"COLLECTOR_TICK": "0.5"}, 0.5),
    ],
)
def test_the_tick_is_collector_tick_else_collector_interval_else_60(
    tmp_path: Path, environ: dict[str, str], tick: float
) -> None:
    """(S000-6)."""
    config = load_config(environ, directory=tmp_path)

    assert config.collector.tick == timedelta(seconds=tick)


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("sqlite:///feeds.db", "sqlite:///{directory}/feeds.db"),
        ("feeds.db", "sqlite:///{directory}/feeds.db"),
        ("/var/lib/feeds.db", "sqlite:////var/lib/feeds.db"),
        ("sqlite:////var/lib/feeds.db", "sqlite:////var/lib/feeds.db"),
        ("postgresql://u:p@db/feeds", "postgresql://u:p@db/feeds"),
        ("postgres://db/feeds", "postgresql://db/feeds"),
    ],
)
def test_a_database_is_a_path_or_a_url(tmp_path: Path, text: str, url: str) -> None:
    config = load_config({"DATABASE_URL": text}, directory=tmp_path)

    assert config.storage.database_url == url.format(directory=tmp_path)
    assert (config.storage.sqlite_path is None) == url.startswith("postgresql")


def test_yaml_holds_the_storage_section_as_promised(tmp_path: Path) -> None:
    """(S003-6)."""
    environ = write_yaml(
        tmp_path,
        """
        storage:
          db_path: other/feeds.db
          batch_size: 7
          enable_wal: no
          state_management:
            enable_time_persistence: false
            cleanup_old_states: off
            state_retention_days: 3
        """,
    )

    storage = load_config(environ, directory=tmp_path).storage

    assert storage.sqlite_path == tmp_path / "other" / "feeds.db"
    assert storage.batch_size == 7
    assert not storage.enable_wal
    assert not storage.enable_time_persistence
    assert not storage.cleanup_old_states
    assert storage.state_retention == timedelta(days=3)


def test_a_list_is_commas_in_the_environment_and_a_list_in_yaml(tmp_path: Path) -> None:
    environ = write_yaml(tmp_path, "egress:\n  allow: [localhost:8080, 10.0.0.0/8, '[::1]:80']\n")
    bridges = "https://a.example/x/{handle}, https://b.example/{handle}"

    config = load_config({**environ, "X_BRIDGES": bridges}, directory=tmp_path)

    assert config.egress.allow == ("localhost:8080", "10.0.0.0/8", "[::1]:80")
    assert config.type_settings[X_BRIDGES] == (
        "https://a.example/x/{handle}",
        "https://b.example/{handle}",
    )


@pytest.mark.parametrize(
    ("host", "base_url"),
    [
        ("0.0.0.0", "http://localhost:8767"),  # noqa: S104 -- read, not bound
        ("::1", "http://[::1]:8767"),
        ("feeds.lan", "http://feeds.lan:8767"),
    ],
)
def test_the_base_url_is_made_from_host_and_port(tmp_path: Path, host: str, base_url: str) -> None:
    config = load_config({"DIGEST_HOST": host}, directory=tmp_path)

    assert config.server.base_url == base_url


def test_intervals_come_from_every_place_and_wrong_ones_only_warn(tmp_path: Path) -> None:
    """(S000-2) A wrong value keeps what the weaker place says, with one warning each."""
    environ = write_yaml(tmp_path, "fetch_intervals: {rss: 60, reddit: 10, website: never}\n")
    (tmp_path / ".env").write_text("FETCH_INTERVAL_REDDIT=20\n")
    environ |= {"fetch_interval_hackernews": "5", "FETCH_INTERVAL_RSS": "-1"}

    config = load_config(environ, directory=tmp_path)

    assert config.overrides == {"rss": 60, "reddit": 20, "hackernews": 5}
    assert len(config.warnings) == 2
    assert config.warnings[0].startswith(
        'FETCH_INTERVAL_WEBSITE (fetch_intervals in clawfeed.yaml) is "never"'
    )
    assert config.warnings[1].startswith('FETCH_INTERVAL_RSS is "-1"')


def test_a_name_in_dotenv_that_is_nearly_ours_gives_a_warning(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("DIGEST_PROT=1\nSOMETHING_ELSE=1\nCOLLECTOR_CONCURENCY=9\n")

    config = load_config({}, directory=tmp_path)

    ignored = "in .env is not a setting and is ignored: did you mean"
    assert config.warnings == (
        f"DIGEST_PROT {ignored} DIGEST_PORT?",
        f"COLLECTOR_CONCURENCY {ignored} COLLECTOR_CONCURRENCY?",
    )


def test_another_dotenv_file_can_be_named(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("DIGEST_PORT=1001\n")
    (tmp_path / "test.env").write_text("DIGEST_PORT=1002\n")

    config = load_config({}, directory=tmp_path, dotenv=tmp_path / "test.env")

    assert config.server.port == 1002


def test_every_setting_fills_a_field_and_every_field_is_a_setting(tmp_path: Path) -> None:
    config = load_config({}, directory=tmp_path)
    computed = {
        "types", "type_settings", "overrides", "header_secrets", "warnings", "origin", "written",
        "secrets",
    }  # fmt: skip

    fields = {
        ("general", field.name)
        for field in dataclasses.fields(Config)
        if field.name not in computed | set(GROUPS)
    }
    for group in set(GROUPS) - {"general"}:
        fields |= {(group, field.name) for field in dataclasses.fields(getattr(config, group))}

    filled = {(setting.group, setting.attribute) for setting in HOUSE_SETTINGS}
    assert filled == fields | {("collector", "interval")}


def test_a_configuration_cannot_be_changed(tmp_path: Path) -> None:
    config = load_config({}, directory=tmp_path)

    with pytest.raises(dataclasses.FrozenInstanceError):
        config.timezone = "Asia/Shanghai"  # type: ignore[misc]  # what is tested
    with pytest.raises(TypeError):
        config.origin["TIMEZONE"] = "elsewhere"  # type: ignore[index]  # what is tested


def test_a_known_time_zone_is_taken(tmp_path: Path) -> None:
    """(settled 10)."""
    config = load_config({"TIMEZONE": "Asia/Shanghai"}, directory=tmp_path)

    assert config.timezone == "Asia/Shanghai"


def test_a_secret_prints_as_stars_and_compares_by_its_text() -> None:
    """(T17)."""
    secret = Secret("swordfish")

    assert repr(secret) == str(secret) == f"{secret}" == "***"
    assert secret == Secret("swordfish")
    assert secret != Secret("other")
    assert len({secret, Secret("swordfish")}) == 1
    assert secret.reveal() == "swordfish"
