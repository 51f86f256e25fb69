"""Every setting there is: its names, what it may hold, its default, and one line for people.

The table is the only list: loading, `clawfeed doctor`, `.env.example` and the documentation
follow it (a test compares them). Heavy modules are imported by the kinds that need them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import time, timedelta
from pathlib import Path

from clawfeed.domain.editions.edition_period import EditionType
from clawfeed.domain.schedule.interval import OVERRIDE_PREFIX
from clawfeed.domain.secret import Secret

FILE_SUFFIX = "_FILE"
# As many as 16 random bytes have in hexadecimal, spelled in any way.
SHORTEST_KEY, FEWEST_CHARACTERS = 20, 8
# What a bridge's address may leave open (`sources.bridges`).
BRIDGE_NAMES = ("handle", "list_id", "query", "type")


class Kind:
    """What a setting may hold: *expected* in words; *parse* raises ValueError on anything else."""

    __slots__ = ("expected", "is_list", "parse")

    def __init__(
        self, expected: str, parse: Callable[[str], object], *, is_list: bool = False
    ) -> None:
        self.expected = expected
        self.parse = parse
        self.is_list = is_list


def whole(low: int, high: int, unit: Callable[[int], object] = int) -> Kind:
    def parse(text: str) -> object:
        # Not int() alone: it takes "1_000" and "٣" too.
        _insist(text.isascii() and text.isdigit() and len(text) <= 15)
        _insist(low <= int(text) <= high)
        return unit(int(text))

    return Kind(f"a whole number from {low} to {high}", parse)


def days(low: int, high: int) -> Kind:
    return whole(low, high, lambda number: timedelta(days=number))


def minutes(low: int, high: int) -> Kind:
    return whole(low, high, lambda number: timedelta(minutes=number))


def milliseconds(low: int, high: int) -> Kind:
    return whole(low, high, lambda number: timedelta(milliseconds=number))


def seconds(low: float, high: float) -> Kind:
    def parse(text: str) -> timedelta:
        _insist(re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,6})?", text) and low <= float(text) <= high)
        return timedelta(seconds=float(text))

    return Kind(f"a number of seconds from {low:g} to {high:g}", parse)


def _millionths(text: str) -> int:
    """An amount of money as a whole number of millionths: sums must not drift."""
    _insist(re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,6})?", text))
    whole_part, _, rest = text.partition(".")
    return int(whole_part) * 1_000_000 + int(rest.ljust(6, "0"))


def choice(*names: str) -> Kind:
    def parse(text: str) -> str:
        _insist(text.lower() in names)
        return text.lower()

    return Kind("one of " + ", ".join(names), parse)


def list_of(kind: Kind) -> Kind:
    def parse(text: str) -> tuple[object, ...]:
        return tuple(kind.parse(part.strip()) for part in text.split(",") if part.strip())

    return Kind(f"a comma-separated list, each {kind.expected}", parse, is_list=True)


def _flag(text: str) -> bool:
    _insist(text.lower() in {"true", "yes", "on", "1", "false", "no", "off", "0"})
    return text.lower() in {"true", "yes", "on", "1"}


def _secret(text: str) -> Secret:
    # A line break in a token would become a header of its own in a request.
    return Secret(_line(text))


def _hard_to_guess(text: str) -> Secret:
    """Nothing brakes who guesses it: that would make the right one wait, too."""
    _insist(len(text) >= SHORTEST_KEY and len(set(text)) >= FEWEST_CHARACTERS)
    return _secret(text)


def _host(text: str) -> str:
    _insist(re.fullmatch(r"[A-Za-z0-9._:%-]+", text))
    return text


def _web_address(text: str) -> str:
    """An http(s) URL without its last slash; credentials have settings of their own."""
    _insist(re.fullmatch(r"https?://[^\s/?#@]+(/[^\s?#]*)?", text))
    return text.rstrip("/")


def _issuer(text: str) -> str:
    """As it is: an issuer is compared letter by letter, its last slash included."""
    _web_address(text)
    return text


def _bridge(text: str) -> str:
    # No user or password: egress refuses them in any address.
    _insist(re.fullmatch(r"https?://[^\s/?#@]+(/\S*)?", text))
    # Without one of them it would serve no source, and nobody would be told.
    _insist(any(f"{{{name}}}" in text for name in BRIDGE_NAMES))
    return text


def _time_zone(text: str) -> str:
    if text != "UTC":
        import zoneinfo

        try:
            zoneinfo.ZoneInfo(text)
        except (OSError, zoneinfo.ZoneInfoNotFoundError) as error:
            raise ValueError from error
    return text


def _edition_types(text: str) -> tuple[EditionType, ...]:
    """Each once, in the order they are written in. None at all is more likely a slip."""
    names = [part.strip().lower() for part in text.split(",") if part.strip()]
    _insist(names)
    return tuple(dict.fromkeys(map(EditionType, names)))


def _time_of_day(text: str) -> time:
    _insist(re.fullmatch(r"([01][0-9]|2[0-3]):[0-5][0-9]", text))
    return time.fromisoformat(text)


def _allowed_address(text: str) -> str:
    host, colon, port = text.rpartition(":")
    is_service = colon and re.fullmatch(r"[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\]", host)
    if is_service and re.fullmatch(r"[0-9]{1,5}", port) and 1 <= int(port) <= 65535:
        return text
    return _network(text)


def _network(text: str) -> str:
    import ipaddress

    return str(ipaddress.ip_network(text))


DATABASE_ENDINGS = (".db", ".sqlite", ".sqlite3")


def _database(text: str) -> str | Path:
    """A SQLite file as its path, PostgreSQL as its URL.

    No database in memory: the collector and the server are processes of their own (S000-22).
    """
    if re.match(r"postgres(ql)?://[^\s/]", text):
        return re.sub("^postgres:", "postgresql:", text)
    name = text.removeprefix("sqlite:///")
    _insist(name and "://" not in name and ":memory:" not in name and name.isprintable())
    # A bare word is more likely a slip than the name of a file to be made.
    _insist(name != text or "/" in name or name.endswith(DATABASE_ENDINGS))
    return Path(name)


def _repository(text: str) -> str:
    _insist(re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9-]{0,38}/[A-Za-z0-9._-]{1,100}", text))
    _insist(text.partition("/")[2].strip("."))
    return text


def _mail_server(text: str) -> Secret:
    """`smtp://user:password@host:587` or `smtps://...`: what it means is read by `publish`."""
    place = r"([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?/?"
    _insist(re.fullmatch(rf"smtps?://([^\s/@]+@)?{place}|smtp://{place}\?tls=no", text))
    return Secret(text)


def _mailbox(text: str) -> str:
    """`someone@example.org`, or `ClawFeed <someone@example.org>`."""
    _insist(re.fullmatch(r"([^<>@,\r\n]* )?<[^\s<>@,]+@[^\s<>@,]+>|[^\s<>@,]+@[^\s<>@,]+", text))
    return text


def _secret_address(text: str) -> Secret:
    """An http(s) address that is itself a secret: whoever knows it can post there."""
    _insist(re.fullmatch(r"https?://[^\s/?#@]+(/\S*)?", text))
    return Secret(text)


def _insist(is_right: object) -> None:
    if not is_right:
        raise ValueError


def _line(text: str) -> str:
    _insist(text.isprintable())
    return text


MONEY = Kind("an amount of money such as 5 or 0.15", _millionths)
FLAG = Kind("true or false", _flag)
PRESENCE = Kind("any text", bool)
TEXT = Kind("one line of text", _line)
SECRET = Kind("one line of text", _secret)
KEY = Kind(
    f"{SHORTEST_KEY} characters or more that nobody guesses: `openssl rand -hex 32` makes some",
    _hard_to_guess,
)
FILE = Kind("the path of a file", Path)
FOLDER = Kind("the path of a folder", Path)
HOST = Kind("a host name or an IP address", _host)
WEB_ADDRESS = Kind("an http:// or https:// address without user, password or query", _web_address)
ISSUER = Kind(WEB_ADDRESS.expected, _issuer)
BRIDGES = list_of(
    Kind(
        "an http:// or https:// address without user and password that holds "
        "{handle}, {list_id}, {query} or {type}",
        _bridge,
    )
)
TIME_ZONE = Kind("the name of a time zone such as UTC or Asia/Shanghai", _time_zone)
EDITION_TYPES = Kind(
    f"a comma-separated list, each one of {', '.join(EditionType)}", _edition_types, is_list=True
)
TIME_OF_DAY = Kind("a time of day such as 07:30", _time_of_day)
REPOSITORY = Kind("a repository such as owner/name", _repository)
MAIL_SERVER = Kind("smtp://user:password@host:587, or smtps:// for TLS at once", _mail_server)
MAILBOX = Kind("an e-mail address, with or without a name before it", _mailbox)
SECRET_ADDRESS = Kind("an http:// or https:// address", _secret_address)
NETWORKS = list_of(Kind("a network such as 10.1.0.0/16", _network))
ADDRESSES = list_of(Kind("a host:port or a network such as 10.1.0.0/16", _allowed_address))
DATABASE = Kind(
    "sqlite:///path, a path with a / or the ending .db, or postgresql://host/name", _database
)


@dataclass(frozen=True, slots=True)
class Setting:
    """One row of the table. *default* is written as a person would write it; None means unset.

    *path* is its place in the YAML file. Its first word is the room, its last the field, of the
    value in `Config`, unless *field* says otherwise. The value of a *secret* appears in no
    message, and may come from the file that `<NAME>_FILE` names.
    """

    name: str
    path: str
    kind: Kind
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
            "Minutes between two triggers, each of which brings editions one step on; 5 or more.",
            field="interval"),
    Setting("TASK_BATCH_SIZE", "editions.task_batch_size", whole(1, 1000), "8",
            "Stories that one step puts into words.", field="batch_size"),
    Setting("MAX_RETRY_COUNT", "editions.max_retry_count", whole(0, 100), "3",
            "How often a story that could not be put into words is tried again.",
            field="max_retries"),
    Setting("EDITION_TYPES", "editions.types", EDITION_TYPES, "daily,weekly,monthly",
            "Which editions of all public sources are made: 4h, daily, weekly, monthly."),
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
