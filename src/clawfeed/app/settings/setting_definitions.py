"""Every setting there is: its names, what it may hold, its default, and one line for people.

The table is the only list: loading, `clawfeed doctor`, `.env.example` and the documentation
follow it (a test compares them).
"""

from __future__ import annotations

from dataclasses import dataclass

from clawfeed.app.settings.value_kinds import (
    ADDRESSES,
    BRIDGES,
    DATABASE,
    EDITION_TYPES,
    FILE,
    FLAG,
    FOLDER,
    HOST,
    ISSUER,
    KEY,
    MAIL_SERVER,
    MAILBOX,
    MONEY,
    NETWORKS,
    PRESENCE,
    REPOSITORY,
    SECRET,
    SECRET_ADDRESS,
    TEXT,
    TIME_OF_DAY,
    TIME_ZONE,
    WEB_ADDRESS,
    ValueType,
    choice,
    days,
    list_of,
    milliseconds,
    minutes,
    seconds,
    whole,
)
from clawfeed.domain.schedule.interval import OVERRIDE_PREFIX

FILE_SUFFIX = "_FILE"


@dataclass(frozen=True, slots=True)
class Setting:
    """One row of the table. *default* is written as a person would write it; None means unset.

    *path* is its place in the YAML file. Its first word is the room, its last the field, of the
    value in `Config`, unless *field* says otherwise. The value of a *secret* appears in no
    message, and may come from the file that `<NAME>_FILE` names.
    """

    name: str
    path: str
    kind: ValueType
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


GROUPS = {
    "general": "General",
    "storage": "Storage",
    "server": "Server",
    "people": "People",
    "log": "Logs",
    "collector": "Collector",
    "editions": "Editions",
    "fetch": "Fetching",
    "egress": "Outgoing guard",
    "sources": "Sources",
    "model": "Language model",
    "publish": "Channels",
}

# fmt: off
SETTINGS: tuple[Setting, ...] = (
    Setting("CONFIG_FILE", "config_file", FILE, None,
            "A YAML file with settings.", in_yaml=False),
    Setting("TIMEZONE", "timezone", TIME_ZONE, "UTC",
            "The time zone that rules days, hours and digests; times are stored in UTC."),

    Setting("DATABASE_URL", "storage.database_url", DATABASE, "sqlite:///data/clawfeed.db",
            "Where everything is kept: a SQLite file, or PostgreSQL for many collectors.",
            secret=True, other_path="storage.db_path"),
    Setting("STORAGE_BATCH_SIZE", "storage.batch_size", whole(1, 10_000), "100",
            "How many writes may share one commit (SQLite)."),
    Setting("STORAGE_ENABLE_WAL", "storage.enable_wal", FLAG, "true",
            "Write-ahead log, so that readers do not wait for the writer (SQLite)."),
    Setting("STATE_ENABLE_TIME_PERSISTENCE", "storage.state_management.enable_time_persistence",
            FLAG, "true", "Remember execution times, so that a restart resumes the rhythm."),
    Setting("STATE_CLEANUP_OLD_STATES", "storage.state_management.cleanup_old_states",
            FLAG, "true", "Remove the execution times of sources that are gone."),
    Setting("STATE_RETENTION_DAYS", "storage.state_management.state_retention_days",
            days(1, 3650), "30", "Days after which the execution time of a gone source is removed.",
            field="state_retention"),
    Setting("RAW_ITEMS_TTL_DAYS", "storage.raw_items_ttl_days", days(1, 3650), "30",
            "Days after which collected items are removed.", field="raw_items_ttl"),
    Setting("SOURCE_ITEMS_PER_DAY", "storage.source_items_per_day", whole(0, 10_000_000), "5000",
            "Items one source may store in a day (UTC); the rest waits. 0 means no limit."),
    Setting("SOURCE_MB_PER_DAY", "storage.source_mb_per_day", whole(0, 10_000_000), "20",
            "Megabytes one source may store in a day. 0 means no limit."),
    Setting("PERSON_ITEMS_PER_DAY", "storage.person_items_per_day", whole(0, 10_000_000), "20000",
            "Items all of one person's own sources may store in a day. 0 means no limit."),
    Setting("PERSON_MB_PER_DAY", "storage.person_mb_per_day", whole(0, 10_000_000), "100",
            "Megabytes all of one person's own sources may store in a day. 0 means no limit."),

    Setting("DIGEST_HOST", "server.host", HOST, "127.0.0.1",
            "The address the API and the pages listen on."),
    Setting("DIGEST_PORT", "server.port", whole(1, 65535), "8767",
            "The port the API and the pages listen on."),
    Setting("BASE_URL", "server.base_url", WEB_ADDRESS, None,
            "The address people use; otherwise made from DIGEST_HOST and DIGEST_PORT."),
    Setting("API_KEY", "server.api_key", KEY, None,
            "A bootstrap admin key for the API: 20 random characters or more.", secret=True),
    Setting("METRICS_TOKEN", "server.metrics_token", KEY, None,
            "The bearer token that opens /metrics: 20 random characters or more.", secret=True),

    Setting("REGISTRATION", "people.registration", FLAG, "false",
            "Whether anybody may make an account."),
    Setting("TRUSTED_PROXIES", "people.trusted_proxies", NETWORKS, "",
            "Comma-separated networks of proxies whose X-Forwarded-For is believed."),
    Setting("API_REQUESTS_PER_MINUTE", "people.api_requests_per_minute", whole(0, 1_000_000), "600",
            "Requests one person or key may make in a minute; 0 means no limit."),
    Setting("STARTER_PACK", "people.starter_pack", FLAG, "true",
            "Whether a fresh database holds a starter pack of public sources."),
    Setting("DEFAULT_PACK", "people.default_pack", TEXT, None,
            "The slug of the pack a new reader follows; otherwise DEFAULT_SOURCE_ID counts."),
    Setting("DEFAULT_SOURCE_ID", "people.default_source_id", whole(1, 2**53), None,
            "The source a new reader follows without a DEFAULT_PACK; otherwise all public ones."),
    Setting("GOOGLE_CLIENT_ID", "people.google_client_id", TEXT, None,
            "The id of a Google application: people may sign in with Google."),
    Setting("GOOGLE_CLIENT_SECRET", "people.google_client_secret", SECRET, None,
            "The secret of that Google application.", secret=True),
    Setting("OIDC_ISSUER", "people.oidc_issuer", ISSUER, None,
            "Another identity provider (OpenID Connect) people may sign in with."),
    Setting("OIDC_NAME", "people.oidc_name", TEXT, "Single sign-on",
            "What that provider is called on the sign-in page."),
    Setting("OIDC_CLIENT_ID", "people.oidc_client_id", TEXT, None,
            "Our id at that provider."),
    Setting("OIDC_CLIENT_SECRET", "people.oidc_client_secret", SECRET, None,
            "Our secret at that provider; none for a public client.", secret=True),
    Setting("OIDC_SIGN_UP", "people.oidc_sign_up", FLAG, "false",
            "Whether a stranger who comes from a provider gets an account."),
    Setting("OIDC_LINK_BY_EMAIL", "people.oidc_link_by_email", FLAG, "false",
            "Whether a provider's verified e-mail address opens the account that has it."),

    Setting("LOG_LEVEL", "log.level", choice("debug", "info", "warning", "error"), "info",
            "The least serious line that is logged: debug, info, warning or error."),
    Setting("LOG_FORMAT", "log.format", choice("auto", "human", "json"), "auto",
            "How lines look: human, json, or auto (human on a terminal, else json)."),
    Setting("NO_COLOR", "log.no_color", PRESENCE, "",
            "Any text here turns colours off on a terminal.", in_yaml=False),

    Setting("COLLECTOR_TICK", "collector.tick", seconds(0.1, 86_400), "60",
            "Seconds between two searches for due sources.", other_name="COLLECTOR_INTERVAL"),
    Setting("COLLECTOR_INTERVAL", "collector.interval", seconds(0.1, 86_400), None,
            "The older name of COLLECTOR_TICK; counts when that is not set."),
    Setting("COLLECTOR_CONCURRENCY", "collector.concurrency", whole(1, 1000), "5",
            "How many sources may be in flight at once."),
    Setting("AUTO_PAUSE_AFTER", "collector.auto_pause_after", whole(0, 1000), "5",
            "Failures in a row that pause a source; 0 means never."),
    Setting("SCHEDULER_POLICY", "collector.scheduler_policy",
            choice("cadence", "forecast", "fixed"), "cadence",
            "How the next poll is chosen: cadence, forecast or fixed."),
    Setting("FORECAST_PRICE", "collector.forecast_price", whole(1, 10_000_000), "214",
            "Forecast: item-seconds of delay that one poll is worth."),
    Setting("FORECAST_BETA_PERCENT", "collector.forecast_beta_percent", whole(0, 100), "40",
            "Forecast: how much a quiet source counts; 0 favours items, 100 sources."),
    Setting("POLLS_PER_DAY", "collector.polls_per_day", whole(0, 1_000_000_000), "0",
            "Forecast: a budget of polls a day in all; it sets the price. 0 means none."),
    Setting("HOST_POLLS_PER_DAY", "collector.host_polls_per_day", whole(0, 1_000_000_000), "0",
            "Forecast: a budget of polls a day at each host. 0 means none."),

    Setting("CRON_INTERVAL_MINUTES", "editions.cron_interval_minutes", minutes(1, 1440), "10",
            "Minutes between two triggers, each of which brings the system's editions one step on; "
            "5 or more.",
            field="interval"),
    Setting("TASK_BATCH_SIZE", "editions.task_batch_size", whole(1, 1000), "8",
            "Stories that one step puts into words.", field="batch_size"),
    Setting("MAX_RETRY_COUNT", "editions.max_retry_count", whole(0, 100), "3",
            "How often a story that could not be put into words is tried again.",
            field="max_retries"),
    Setting("EDITION_TYPES", "editions.types", EDITION_TYPES, "daily,weekly,monthly",
            "Which editions of the default content are made: 4h, daily, weekly, monthly."),
    Setting("EDITION_LANGUAGE", "editions.language", choice("en", "zh"), "en",
            "The language of those editions: en or zh."),
    Setting("EDITION_TIME", "editions.time", TIME_OF_DAY, "07:30",
            "When a reader's own edition is there, unless they chose another time."),
    Setting("EDITION_FULL_TEXT", "editions.full_text", FLAG, "true",
            "Whether the article itself is read where a chosen story has only a teaser."),

    Setting("FETCH_TIMEOUT_SECONDS", "fetch.timeout_seconds", seconds(0.1, 600), "10",
            "Seconds one request may take in all.", field="timeout"),
    Setting("FETCH_MAX_BYTES", "fetch.max_bytes", whole(1000, 100_000_000), None,
            "The largest body that is read, unpacked, of any source; not set: 500 KB, or the "
            "type's own."),
    Setting("HOST_CONCURRENCY", "fetch.host_concurrency", whole(1, 100), "2",
            "Requests at one host at the same time."),
    Setting("HOST_SPACING_MS", "fetch.host_spacing_ms", milliseconds(0, 60_000), "250",
            "Milliseconds between two requests to one host.", field="host_spacing"),
    Setting("PARSE_WORKERS", "fetch.parse_workers", whole(1, 64), "2",
            "Processes that parse; as many as cores keep all of them busy."),

    Setting("EGRESS_ALLOW", "egress.allow", ADDRESSES, "",
            "Comma-separated host:port or networks that the guard lets through."),

    Setting("HACKERNEWS_BASE_URL", "sources.hackernews_base_url", WEB_ADDRESS,
            "https://hacker-news.firebaseio.com", "Where the Hacker News API lives."),
    Setting("REDDIT_BASE_URL", "sources.reddit_base_url", WEB_ADDRESS,
            "https://www.reddit.com", "Where Reddit lives."),
    Setting("REDDIT_CLIENT_ID", "sources.reddit_client_id", TEXT, None,
            "The id of a Reddit application, for its API."),
    Setting("REDDIT_CLIENT_SECRET", "sources.reddit_client_secret", SECRET, None,
            "The secret of that Reddit application.", secret=True),
    Setting("GITHUB_TRENDING_BASE_URL", "sources.github_trending_base_url", WEB_ADDRESS,
            "https://github.com", "Where the trending page lives."),
    Setting("X_API_BASE_URL", "sources.x_api_base_url", WEB_ADDRESS,
            "https://api.x.com", "Where the X API lives."),
    Setting("X_BEARER_TOKEN", "sources.x_bearer_token", SECRET, None,
            "The app token of the X API: accounts, lists and searches.", secret=True),
    Setting("X_USER_TOKEN", "sources.x_user_token", SECRET, None,
            "A user token of the X API: bookmarks, favourites, For You.", secret=True),
    Setting("X_CLIENT_ID", "sources.x_client_id", TEXT, None,
            "The client id of an X application: people may let ClawFeed read their own X."),
    Setting("X_CLIENT_SECRET", "sources.x_client_secret", SECRET, None,
            "The secret of that application; none if it is a public client.", secret=True),
    Setting("X_AUTHORIZE_URL", "sources.x_authorize_url", WEB_ADDRESS,
            "https://x.com/i/oauth2/authorize", "Where people let us in at X."),
    Setting("X_BRIDGES", "sources.x_bridges", BRIDGES, "",
            "Comma-separated URL templates of bridges (RSSHub, RSS-Bridge, Nitter), in order."),
    Setting("X_MONTHLY_READS", "sources.x_monthly_reads", whole(0, 1_000_000_000), "10000",
            "Posts that may be read from the X API in a month; 0 means none."),
    Setting("PLUGINS_DIR", "sources.plugins_dir", FOLDER, None,
            "A folder with collectors in plain Python."),

    Setting("LLM_API_URL", "model.api_url", WEB_ADDRESS, None,
            "An OpenAI-compatible API that writes the words of editions; without one the sources' "
            "own words serve."),
    Setting("LLM_API_KEY", "model.api_key", SECRET, None,
            "The key of that API; none for one on this machine.", secret=True),
    Setting("LLM_MODEL", "model.name", TEXT, None,
            "The model that is asked, by the name that API has for it."),
    Setting("LLM_TIMEOUT_SECONDS", "model.timeout_seconds", seconds(0.1, 600), "60",
            "Seconds one answer of the model may take.", field="timeout"),
    Setting("LLM_EDITION_SECONDS", "model.edition_seconds", seconds(1, 3600), "300",
            "Seconds an edition waits for its model in all; then the sources' own words serve.",
            field="edition_time"),
    Setting("LLM_CONCURRENCY", "model.concurrency", whole(1, 100), "4",
            "Questions to the model at the same time."),
    Setting("LLM_MAX_TOKENS", "model.max_tokens", whole(100, 100_000), "1500",
            "The longest answer that is asked for, a model's thoughts included, in tokens."),
    Setting("LLM_MONTHLY_TOKENS", "model.monthly_tokens", whole(0, 10**15 - 1), "5000000",
            "Tokens the model may cost in a month (UTC), in and out; 0 means no limit."),
    Setting("LLM_MONTHLY_BUDGET", "model.monthly_budget", MONEY, "0",
            "Money the model may cost in a month, in the prices' currency; 0 means no limit."),
    Setting("LLM_PRICE_IN", "model.price_in", MONEY, "0",
            "What a million tokens cost that the model reads."),
    Setting("LLM_PRICE_OUT", "model.price_out", MONEY, "0",
            "What a million tokens cost that the model writes."),

    Setting("CHANNEL_EDITION_TYPES", "publish.edition_types", EDITION_TYPES, "daily",
            "Which of everybody's editions go to the channels below: 4h, daily, weekly, monthly."),
    Setting("TELEGRAM_API_BASE_URL", "publish.telegram_api_base_url", WEB_ADDRESS,
            "https://api.telegram.org", "Where the Telegram Bot API lives."),
    Setting("TELEGRAM_BOT_TOKEN", "publish.telegram_bot_token", SECRET, None,
            "The token of the house's Telegram bot; people's own channels bring their own.",
            secret=True),
    Setting("TELEGRAM_CHANNEL_ID", "publish.telegram_channel_id", TEXT, None,
            "The chat that gets everybody's editions: @name or a number."),
    Setting("GITHUB_API_BASE_URL", "publish.github_api_base_url", WEB_ADDRESS,
            "https://api.github.com", "Where the GitHub API lives."),
    Setting("GITHUB_TOKEN", "publish.github_token", SECRET, None,
            "A token that may write to the repository in TARGET_REPO.", secret=True),
    Setting("TARGET_REPO", "publish.target_repo", REPOSITORY, None,
            "The repository that gets everybody's editions, as owner/name."),
    Setting("TARGET_BRANCH", "publish.target_branch", TEXT, "main",
            "The branch of that repository."),
    Setting("TARGET_FOLDER", "publish.target_folder", TEXT, "digests",
            "The folder in that repository: one Markdown file per edition."),
    Setting("SMTP_URL", "publish.smtp_url", MAIL_SERVER, None,
            "The mail server, with user and password; smtp:// begins TLS by STARTTLS.",
            secret=True),
    Setting("EMAIL_FROM", "publish.email_from", MAILBOX, None,
            "Who sends e-mails: ClawFeed <news@example.org>."),
    Setting("EMAIL_TO", "publish.email_to", list_of(MAILBOX), "",
            "Comma-separated mailboxes that get everybody's editions."),
    Setting("SLACK_WEBHOOK_URL", "publish.slack_webhook_url", SECRET_ADDRESS, None,
            "A Slack webhook that gets everybody's editions.", secret=True),
    Setting("ALARM_EMAIL_TO", "publish.alarm_email_to", list_of(MAILBOX), "",
            "Comma-separated mailboxes that get alarms, and no editions."),
    Setting("ALARM_TELEGRAM_CHAT_ID", "publish.alarm_telegram_chat_id", TEXT, None,
            "A Telegram chat that gets alarms, and no editions."),
    Setting("SECRETS_KEY", "publish.secrets_key", KEY, None,
            "Seals the secrets of people's channels; not set: a key file beside the SQLite file.",
            secret=True),
)
# fmt: on

BY_NAME = {setting.name: setting for setting in SETTINGS}

OVERRIDES_BRANCH = "fetch_intervals"
YAML_NAMES = {
    path + name.removeprefix(setting.name).lower(): name
    for setting in SETTINGS
    if setting.in_yaml
    for path in filter(None, (setting.path, setting.other_path))
    for name in setting.names
}
YAML_BRANCHES = {OVERRIDES_BRANCH} | {
    path.rsplit(".", depth)[0] for path in YAML_NAMES for depth in range(1, path.count(".") + 1)
}


def yaml_name(path: str) -> str | None:
    """The variable that a place in the YAML file stands for."""
    branch, _, type_name = path.partition(".")
    if branch == OVERRIDES_BRANCH and type_name:
        return OVERRIDE_PREFIX + type_name.upper()
    return YAML_NAMES.get(path)
