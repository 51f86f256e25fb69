"""Loads the configuration: default < YAML file < `.env` < environment (S003-6).

Everything wrong is found in one go (S002-18).
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from types import MappingProxyType
from typing import Any

from clawfeed.app.settings.config import (
    CollectorConfig,
    Config,
    EditionsConfig,
    EgressSettings,
    FetchConfig,
    LogConfig,
    ModelSettings,
    PeopleConfig,
    PublishSettings,
    ServerConfig,
    SourcesConfig,
    StorageSettings,
)
from clawfeed.app.settings.setting_definitions import HOUSE_SETTINGS
from clawfeed.app.settings.setting_layers import Layers
from clawfeed.app.settings.setting_table import SettingTable
from clawfeed.domain.errors import ConfigError
from clawfeed.domain.settings.setting import SettingValues
from clawfeed.sources.source_types.built_in import BUILT_IN
from clawfeed.sources.source_types.source_type import SourceTypes

# Triggers of editions that come more often are warned of (S002-1).
SHORTEST_INTERVAL = timedelta(minutes=5)


def load_config(
    environ: Mapping[str, str],
    *,
    directory: Path,
    dotenv: Path | None = None,
    types: SourceTypes = BUILT_IN,
) -> Config:
    """The configuration, or `ConfigError` with one sentence for each thing to mend.

    Relative paths start at *directory*, where `.env` is looked for unless *dotenv* names it.
    An empty value counts as not set.
    """
    layers = Layers(directory, types)
    layers.add_environment(environ)
    layers.add_dotenv(dotenv or directory / ".env", is_named=dotenv is not None)
    config_file = layers.value(layers.table.by_name["CONFIG_FILE"])
    if isinstance(config_file, Path):
        layers.add_yaml(config_file)
    values = {setting.name: layers.value(setting) for setting in layers.table.all}
    overrides = layers.overrides()
    layers.problems += _model_problems(layers.written, values)
    layers.problems += _channel_problems(layers.written)
    if layers.problems:
        # A setting that is read under two names may report the same fault twice.
        raise ConfigError(*dict.fromkeys(layers.problems))
    return _build(layers, values, overrides)


def _model_problems(written: Mapping[str, str], values: Mapping[str, Any]) -> list[str]:
    """What only shows where settings meet (S002-18)."""
    problems = []
    url, name = written["LLM_API_URL"], written["LLM_MODEL"]
    if url and not name:
        problems.append("LLM_MODEL is not set, but LLM_API_URL is: name the model to ask there")
    if name and not url:
        problems.append("LLM_API_URL is not set, but LLM_MODEL is: say where that model is asked")
    if values["LLM_MONTHLY_BUDGET"] and not (values["LLM_PRICE_IN"] and values["LLM_PRICE_OUT"]):
        problems.append(
            "LLM_MONTHLY_BUDGET needs prices to count with: set LLM_PRICE_IN and LLM_PRICE_OUT"
        )
    return problems


def _channel_problems(written: Mapping[str, str]) -> list[str]:
    """Channels of the house that lack what it takes to send to them (S002-18)."""
    return [
        f"{needed} is not set, but {named} is: {why}"
        for named, needed, why in _CHANNEL_NEEDS
        if written[named] and not written[needed]
    ]


_CHANNEL_NEEDS = (
    ("TELEGRAM_CHANNEL_ID", "TELEGRAM_BOT_TOKEN", "messages are sent by a bot"),
    ("ALARM_TELEGRAM_CHAT_ID", "TELEGRAM_BOT_TOKEN", "messages are sent by a bot"),
    ("TARGET_REPO", "GITHUB_TOKEN", "it takes a token to write to a repository"),
    ("EMAIL_TO", "SMTP_URL", "say which server takes e-mails"),
    ("ALARM_EMAIL_TO", "SMTP_URL", "say which server takes e-mails"),
    ("SMTP_URL", "EMAIL_FROM", "say who sends e-mails"),
)


def _build(layers: Layers, values: Mapping[str, Any], overrides: Mapping[str, int]) -> Config:
    rooms: dict[str, dict[str, Any]] = {}
    for setting in HOUSE_SETTINGS:
        rooms.setdefault(setting.group, {})[setting.attribute] = values[setting.name]
    del rooms["collector"]["interval"]  # already heard as COLLECTOR_TICK's other name
    server, storage = rooms["server"], rooms["storage"]
    server["base_url"] = server["base_url"] or _address(server["host"], server["port"])
    layers.written["BASE_URL"] = server["base_url"]
    if isinstance(storage["database_url"], Path):
        storage["database_url"] = f"sqlite:///{storage['database_url']}"
    return Config(
        types=layers.types,
        **rooms["general"],
        storage=StorageSettings(**storage),
        server=ServerConfig(**server),
        people=PeopleConfig(**rooms["people"]),
        log=LogConfig(**rooms["log"]),
        collector=CollectorConfig(**rooms["collector"]),
        editions=EditionsConfig(**rooms["editions"]),
        fetch=FetchConfig(**rooms["fetch"]),
        egress=EgressSettings(**rooms["egress"]),
        sources=SourcesConfig(**rooms["sources"]),
        model=ModelSettings(**rooms["model"]),
        publish=PublishSettings(**rooms["publish"]),
        type_settings=_of_types(layers.table, values),
        overrides=MappingProxyType(dict(overrides)),
        header_secrets=MappingProxyType(layers.header_secrets()),
        warnings=(*layers.warnings, *_hasty(rooms["editions"]["interval"])),
        origin=MappingProxyType(layers.origin),
        written=MappingProxyType(layers.written),
        secrets=tuple(layers.secrets),
    )


def _of_types(table: SettingTable, values: Mapping[str, object]) -> SettingValues:
    given = {setting: values[setting.name] for setting in table.of_types}
    return SettingValues({each: value for each, value in given.items() if value is not None})


def _hasty(interval: timedelta) -> list[str]:
    """S002-1: it still runs."""
    if interval >= SHORTEST_INTERVAL:
        return []
    minutes = interval // timedelta(minutes=1)
    why = "so that a trigger does not come while the batch of the one before still runs"
    return [f"CRON_INTERVAL_MINUTES is {minutes}: 5 or more are recommended, {why}"]


def _address(host: str, port: int) -> str:
    """Where a person on this machine finds the server; nobody can visit 0.0.0.0."""
    if host in {"0.0.0.0", "::"}:  # noqa: S104 -- compared, not bound
        host = "localhost"
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
