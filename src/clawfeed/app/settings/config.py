"""The configuration as values: plain and frozen. Each room gets its own small part, not the rest.

What may be set is listed in `setting_table`; `config_loading` finds out what is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import time, timedelta
from pathlib import Path

from clawfeed.domain.editions.edition_period import EditionType
from clawfeed.domain.secret import Secret
from clawfeed.domain.settings.setting import SettingValues
from clawfeed.sources.config.custom_api import HEADER_SECRET_HOST
from clawfeed.sources.source_types.source_type import SourceTypes


@dataclass(frozen=True, slots=True, kw_only=True)
class StorageSettings:
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
    storage: StorageSettings
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
    type_settings: SettingValues  # of source types, by what their descriptors declare
    overrides: Mapping[str, int]
    header_secrets: Mapping[str, str] = field(repr=False)  # CUSTOM_API_*, for custom_api headers
    warnings: tuple[str, ...]
    origin: Mapping[str, str]
    written: Mapping[str, str] = field(repr=False)  # what may be seen of each; secrets as ***
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
