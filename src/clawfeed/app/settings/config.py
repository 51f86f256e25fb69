"""Loads the configuration: default < YAML file < `.env` < environment (S003-6).

Everything wrong is found in one go (S002-18). The values are plain and frozen; each room gets
its own small part and never sees the rest. What may be set is listed in `settings`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import time, timedelta
from pathlib import Path
from types import MappingProxyType
from typing import Any

from clawfeed.app.settings.dotenv import read_dotenv
from clawfeed.app.settings.settings import (
    BY_NAME,
    FILE_SUFFIX,
    SETTINGS,
    Setting,
)
from clawfeed.domain.editions.edition_period import EditionType
from clawfeed.domain.errors import ConfigError
from clawfeed.domain.schedule.interval import (
    OVERRIDE_PREFIX,
    is_override_name,
    merge_overrides,
    read_overrides,
)
from clawfeed.domain.secret import MASK, Secret
from clawfeed.sources.source_types.built_in import BUILT_IN
from clawfeed.sources.source_types.descriptor import SourceTypes

# Triggers of editions that come more often are warned of (S002-1).
SHORTEST_INTERVAL = timedelta(minutes=5)
# Docker and systemd hand over secrets of a few hundred bytes; a wrong path may be a huge file.
LARGEST_SECRET_FILE = 65_536
LONGEST_SHOWN_VALUE = 80
# Operators name these themselves: CUSTOM_API_ACME=secret, CUSTOM_API_ACME_HOST=where it may go.
HEADER_SECRETS = "CUSTOM_API_"
HEADER_SECRET_HOST = "_HOST"  # noqa: S105 -- the ending of a name


@dataclass(frozen=True, slots=True, kw_only=True)
class StorageConfig:
    """*database_url* is `sqlite:///path` or `postgresql://...`; it may hold a password."""

    database_url: str = field(repr=False)
    batch_size: int
    enable_wal: bool
    enable_time_persistence: bool
    cleanup_old_states: bool
    state_retention: timedelta
    raw_items_ttl: timedelta
    source_items_per_day: int
    source_mb_per_day: int
    person_items_per_day: int
    person_mb_per_day: int

    @property
    def sqlite_path(self) -> Path | None:
        prefix, _, name = self.database_url.partition("sqlite:///")
        return Path(name) if name and not prefix else None


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerConfig:
    host: str
    port: int
    base_url: str
    api_key: Secret | None
    metrics_token: Secret | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PeopleConfig:
    registration: bool
    trusted_proxies: tuple[str, ...]  # networks in CIDR form
    api_requests_per_minute: int  # 0 = no limit
    starter_pack: bool
    default_pack: str | None
    default_source_id: int | None
    google_client_id: str | None
    google_client_secret: Secret | None
    oidc_issuer: str | None
    oidc_name: str
    oidc_client_id: str | None
    oidc_client_secret: Secret | None
    oidc_sign_up: bool
    oidc_link_by_email: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class LogConfig:
    level: str  # debug, info, warning, error
    format: str  # auto, human, json
    no_color: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectorConfig:
    tick: timedelta
    concurrency: int
    auto_pause_after: int  # 0 = never
    scheduler_policy: str  # cadence, forecast, fixed
    forecast_price: int
    forecast_beta_percent: int
    polls_per_day: int  # 0 = no budget
    host_polls_per_day: int  # 0 = no budget


@dataclass(frozen=True, slots=True, kw_only=True)
class EditionsConfig:
    """How editions are made. *types* and *language* are the system's, *time* is readers' usual."""

    interval: timedelta  # between two triggers
    batch_size: int
    max_retries: int
    types: tuple[EditionType, ...]
    language: str  # en, zh
    time: time
    full_text: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchConfig:
    timeout: timedelta
    max_bytes: int | None  # None = the caps of the source types
    host_concurrency: int
    host_spacing: timedelta
    parse_workers: int


@dataclass(frozen=True, slots=True, kw_only=True)
class EgressSettings:
    allow: tuple[str, ...]  # host:port, or a network in CIDR form


@dataclass(frozen=True, slots=True, kw_only=True)
class SourcesConfig:
    hackernews_base_url: str
    reddit_base_url: str
    reddit_client_id: str | None
    reddit_client_secret: Secret | None
    github_trending_base_url: str
    x_api_base_url: str
    x_bearer_token: Secret | None
    x_user_token: Secret | None
    x_client_id: str | None
    x_client_secret: Secret | None
    x_authorize_url: str
    x_bridges: tuple[str, ...] = field(repr=False)  # an access key may be part of a template
    x_monthly_reads: int
    plugins_dir: Path | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSettings:
    """Money is in millionths of the currency; the prices are for a million tokens."""

    api_url: str | None
    api_key: Secret | None
    name: str | None
    timeout: timedelta
    edition_time: timedelta
    concurrency: int
    max_tokens: int
    monthly_tokens: int  # 0 = no limit
    monthly_budget: int  # 0 = no limit
    price_in: int
    price_out: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishSettings:
    """Where everybody's editions and alarms go; people's own channels are stored."""

    edition_types: tuple[EditionType, ...]
    telegram_api_base_url: str
    telegram_bot_token: Secret | None
    telegram_channel_id: str | None
    github_api_base_url: str
    github_token: Secret | None
    target_repo: str | None
    target_branch: str
    target_folder: str
    smtp_url: Secret | None
    email_from: str | None
    email_to: tuple[str, ...]
    slack_webhook_url: Secret | None
    alarm_email_to: tuple[str, ...]
    alarm_telegram_chat_id: str | None
    secrets_key: Secret | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """All settings, valid. *types* are those this ClawFeed reads without plug-ins.

    *overrides* are minutes by source type (S000-2).

    *warnings* are sentences to log once at start. *origin* says of every setting whether it came
    from `default`, `yaml`, `.env` or `environment`.
    """

    types: SourceTypes = field(repr=False)
    timezone: str
    config_file: Path | None
    storage: StorageConfig
    server: ServerConfig
    people: PeopleConfig
    log: LogConfig
    collector: CollectorConfig
    editions: EditionsConfig
    fetch: FetchConfig
    egress: EgressSettings
    sources: SourcesConfig
    model: ModelSettings
    publish: PublishSettings
    overrides: Mapping[str, int]
    header_secrets: Mapping[str, str] = field(repr=False)  # CUSTOM_API_*, for custom_api headers
    warnings: tuple[str, ...]
    origin: Mapping[str, str]
    written: Mapping[str, str] = field(repr=False)  # the text of each setting; secrets as ***
    secrets: tuple[Secret, ...] = field(repr=False)

    def describe(self) -> list[tuple[str, str, str]]:
        """Name, text and origin of every setting, safe to show to anybody."""
        from clawfeed.app.settings.redaction import Redactor

        redact = Redactor(self.secret_texts())
        return [(name, redact(self.written[name]), origin) for name, origin in self.origin.items()]

    def secret_texts(self) -> tuple[str, ...]:
        """Every text that must not be seen, the database's password included: for the redactor."""
        from clawfeed.app.settings.redaction import passwords_in

        passwords = passwords_in(self.storage.database_url)
        headers = {
            text
            for name, text in self.header_secrets.items()
            if not name.endswith(HEADER_SECRET_HOST)
        }
        return tuple(sorted(passwords | headers | {s.reveal() for s in self.secrets}))


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
    loading = _Loading(directory, types)
    loading.add_environment(environ)
    loading.add_dotenv(dotenv or directory / ".env", is_named=dotenv is not None)
    config_file = loading.value(BY_NAME["CONFIG_FILE"])
    if isinstance(config_file, Path):
        loading.add_yaml(config_file)
    values = {setting.name: loading.value(setting) for setting in SETTINGS}
    overrides = loading.overrides()
    loading.problems += _model_problems(loading.written, values)
    loading.problems += _channel_problems(loading.written)
    if loading.problems:
        # A setting that is read under two names may report the same fault twice.
        raise ConfigError(*dict.fromkeys(loading.problems))
    return _build(loading, values, overrides)


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


def _build(loading: _Loading, values: Mapping[str, Any], overrides: Mapping[str, int]) -> Config:
    rooms: dict[str, dict[str, Any]] = {}
    for setting in SETTINGS:
        rooms.setdefault(setting.group, {})[setting.attribute] = values[setting.name]
    del rooms["collector"]["interval"]  # already heard as COLLECTOR_TICK's other name
    server, storage = rooms["server"], rooms["storage"]
    server["base_url"] = server["base_url"] or _address(server["host"], server["port"])
    loading.written["BASE_URL"] = server["base_url"]
    if isinstance(storage["database_url"], Path):
        storage["database_url"] = f"sqlite:///{storage['database_url']}"
    return Config(
        types=loading.types,
        **rooms["general"],
        storage=StorageConfig(**storage),
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
        overrides=MappingProxyType(dict(overrides)),
        header_secrets=MappingProxyType(loading.header_secrets()),
        warnings=(*loading.warnings, *_hasty(rooms["editions"]["interval"])),
        origin=MappingProxyType(loading.origin),
        written=MappingProxyType(loading.written),
        secrets=tuple(loading.secrets.values()),
    )


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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Layer:
    """What one place says: texts by variable name, empty ones left out."""

    origin: str
    texts: Mapping[str, str]
    where: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)

    def label(self, name: str) -> str:
        return self.labels.get(name, name + self.where)


class _Loading:
    """One run of `load_config`: the layers found so far, the strongest first, and what is wrong."""

    def __init__(self, directory: Path, types: SourceTypes) -> None:
        self.directory = directory
        self.types = types
        self.layers: list[_Layer] = []
        self.problems: list[str] = []
        self.warnings: list[str] = []
        self.origin: dict[str, str] = {}
        self.written: dict[str, str] = {}
        self.secrets: dict[str, Secret] = {}

    def add_environment(self, environ: Mapping[str, str]) -> None:
        self.layers.append(_Layer(origin="environment", texts=_filled(environ)))

    def add_dotenv(self, path: Path, *, is_named: bool) -> None:
        if is_named and not path.exists():
            self.problems.append(f"{path} does not exist: name a file with NAME=value lines")
        found = read_dotenv(path)
        self.problems += found.problems
        layer = _Layer(origin=".env", texts=_filled(found.values), where=f" in {path.name}")
        self.warnings += _unknown_names(layer)
        self.warnings += _open_to_others(layer, path)
        self.layers.append(layer)

    def add_yaml(self, path: Path) -> None:
        from clawfeed.app.settings.yaml_file import YamlReading

        found = YamlReading(path)
        found.read()
        self.problems += found.problems
        where = f" (fetch_intervals in {path.name})"
        self.layers.append(
            _Layer(origin="yaml", texts=_filled(found.texts), where=where, labels=found.labels)
        )

    def value(self, setting: Setting) -> object:
        """The setting's value from the strongest layer; a wrong one becomes a problem."""
        found = self._find(setting)
        if not found and setting.other_name:
            found = self._find(BY_NAME[setting.other_name])
        origin, label, text = found or ("default", setting.name, setting.default)
        self.origin[setting.name] = origin
        self.written[setting.name] = text or ""
        if text is None:
            return None
        try:
            value = setting.kind.parse(text)
        except ValueError:
            self.problems.append(_wrong(setting, label, text))
            return None
        if isinstance(value, Secret):
            self.secrets[setting.name] = value
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

    def _find(self, setting: Setting) -> tuple[str, str, str] | None:
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


def _wrong(setting: Setting, label: str, text: str) -> str:
    if setting.secret:
        return f"{label} cannot be used: expected {setting.kind.expected}"
    import json

    from clawfeed.app.settings.redaction import Redactor

    shown = Redactor()(text)
    if len(shown) > LONGEST_SHOWN_VALUE:
        shown = shown[:LONGEST_SHOWN_VALUE] + "…"
    # As JSON, so that a line break cannot pretend to be another problem.
    return f"{label} is {json.dumps(shown, ensure_ascii=False)}: expected {setting.kind.expected}"


def _unknown_names(layer: _Layer) -> list[str]:
    """A warning for each name that is nearly one of ours: probably a slip of the pen."""
    known = [name for setting in SETTINGS for name in setting.names]
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


def _open_to_others(layer: _Layer, path: Path) -> list[str]:
    texts = [layer.texts.get(setting.name, "") for setting in SETTINGS if setting.secret]
    # The path of a SQLite file is no secret.
    holds_secret = any(text for text in texts if "@" in text or not text.startswith("sqlite:"))
    if not holds_secret or os.name == "nt" or not path.stat().st_mode & 0o077:
        return []
    return [f"{path.name} holds secrets and other users can read it: chmod 600 {path.name}"]
