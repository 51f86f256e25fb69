"""What `clawfeed doctor` says of a house, and its page of one that runs: nothing here opens it."""

from __future__ import annotations

import asyncio
import platform
from collections.abc import Iterator

from clawfeed import __version__
from clawfeed.app.clock import system_clock
from clawfeed.app.doctor_findings.channel_key import exposed_key, unopened_secrets
from clawfeed.app.doctor_findings.finding import Finding, ok, problem, warning
from clawfeed.app.doctor_findings.libraries import libraries
from clawfeed.app.settings.config import Config
from clawfeed.app.settings.plugin_sources import installed_plugins
from clawfeed.domain.errors import ClawFeedError, ConfigError, EgressError
from clawfeed.egress.guard import Guard
from clawfeed.storage.database import Database
from clawfeed.storage.editions.edition_metrics import is_trigger_missed, last_trigger
from clawfeed.storage.migrate import migrations, refuse_foreign, schema_version
from clawfeed.storage.polling.collector_heartbeats import collector_liveness
from clawfeed.storage.spending.model_spend import spend_of_month

LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})


async def examine_running(config: Config, database: Database) -> list[Finding]:
    """The same of a house that runs, on the *database* it has open; nothing is written.

    What rings is not among it: its alarms tell that.
    """
    # Looking at what is installed reads files.
    before = await asyncio.to_thread(lambda: list(machine_findings(config)))
    after = await asyncio.to_thread(lambda: list(settings_findings(config)))
    try:
        found = [await opened_finding(database), *await contents_findings(config, database)]
    except ClawFeedError as error:
        found = [problem("database", str(error))]
    return [*before, *found, *after]


def machine_findings(config: Config) -> Iterator[Finding]:
    yield ok("clawfeed", f"{__version__}, schema {migrations()[-1].version}")
    yield ok("python", platform.python_version())
    yield from libraries()
    yield from _sqlite(config)


def settings_findings(config: Config) -> Iterator[Finding]:
    yield from _plugins(config)
    yield from (warning("configuration", text) for text in config.warnings)
    yield from _exposure(config)
    yield from _model(config)


async def contents_findings(config: Config, database: Database) -> list[Finding]:
    return [
        *await _collectors(database),
        *await _editions(config, database),
        *await _model_spend(database),
        *await _secrets(config, database),
    ]


def _sqlite(config: Config) -> Iterator[Finding]:
    if not config.storage.sqlite_path:
        return
    from clawfeed.storage.drivers.sqlite_library import VERSION, is_safe_to_share

    path = config.storage.sqlite_path
    if path.exists() and path.stat().st_mode & 0o077:
        yield warning("database", f"other users may read {path}: chmod 600 {path}")
    exposed = exposed_key(config)
    if exposed:
        yield warning("secrets", exposed)
    if is_safe_to_share():
        yield ok("sqlite", f"{VERSION}, processes may share the file")
    else:
        yield warning(
            "sqlite",
            f"{VERSION} may corrupt a file shared by processes, so only one may open it: "
            "install the pysqlite3 wheel, or use PostgreSQL",
        )


async def is_current(database: Database) -> bool:
    try:
        return await schema_version(database) == migrations()[-1].version
    except ClawFeedError:
        return False


async def _collectors(database: Database) -> list[Finding]:
    """Whether somebody collects what is due (S000-22); nothing of a database not yet ours."""
    now = system_clock()
    try:
        liveness = await collector_liveness(database, now)
    except ClawFeedError:
        return []
    if liveness.is_missed(now):
        text = "sources are due and none gives a sign of life: start clawfeed collect --loop"
        return [warning("collector", text)]
    seen = f", last seen {liveness.seen_at:%Y-%m-%d %H:%M} UTC" if liveness.seen_at else ""
    return [ok("collector", f"{liveness.alive} alive{seen}")]


async def _editions(config: Config, database: Database) -> list[Finding]:
    """Whether somebody triggers them (S002-1); nothing of a database not yet ours."""
    try:
        last = await last_trigger(database)
    except ClawFeedError:
        return []
    seen = f"last triggered {last:%Y-%m-%d %H:%M} UTC" if last else "never triggered"
    if is_trigger_missed(last, system_clock(), every=config.editions.interval):
        text = f"{seen}: clawfeed run does it, or clawfeed cron from a timer (cron --print)"
        return [warning("editions", text)]
    return [ok("editions", seen)]


async def _secrets(config: Config, database: Database) -> list[Finding]:
    """Whether the secrets of channels can be opened; nothing of a database not yet ours."""
    if not await is_current(database):
        return []
    found = await unopened_secrets(config, database)
    return [problem("secrets", found)] if found else []


async def _model_spend(database: Database) -> list[Finding]:
    """What this month's words have cost; nothing while none were bought."""
    try:
        month = await spend_of_month(database, at=system_clock())
    except ClawFeedError:
        return []
    if not month.calls and month.capped_at is None:
        return []
    spent = f"{month.tokens:,} tokens, {month.cost_micros / 1_000_000:.2f} in money"
    text = f"{month.calls} calls in {month.month}, {month.remembered} remembered: {spent}"
    if month.capped_at is not None:
        return [warning("model spend", f"{text}; the cap is reached until the month ends")]
    return [ok("model spend", text)]


async def opened_finding(database: Database) -> Finding:
    try:
        await refuse_foreign(database)
        return _schema(await database.version(), await schema_version(database))
    except ConfigError as error:
        return problem("database", str(error))
    except ClawFeedError:
        return ok("database", f"{await database.version()}, empty: the first start fills it")


def _schema(name: str, found: int) -> Finding:
    known = migrations()[-1].version
    if found > known:
        text = f"{name}, schema {found} is newer than this ClawFeed ({known}): upgrade ClawFeed"
        return problem("database", text)
    if found < known:
        return ok("database", f"{name}, schema {found}: the next start brings it to {known}")
    return ok("database", f"{name}, schema {found}")


def _plugins(config: Config) -> Iterator[Finding]:
    """The names of those that work; of each other, its fault and where it is."""
    try:
        plugins = installed_plugins(config.sources.plugins_dir)
    except ConfigError as error:
        yield from (problem("plug-ins", each) for each in error.problems)
        return
    if plugins.found:
        yield ok("plug-ins", ", ".join(plugin.name for plugin in plugins.found))
    yield from (problem("plug-ins", each) for each in plugins.problems)


def _exposure(config: Config) -> Iterator[Finding]:
    server = config.server
    if server.host not in LOOPBACK and server.base_url.startswith("http://"):
        yield warning(
            "DIGEST_HOST",
            f"{server.host} is open to the network without TLS: put a proxy with TLS in front "
            "and say BASE_URL=https://...",
        )
    if server.base_url.startswith("https://") and not config.people.trusted_proxies:
        yield warning(
            "TRUSTED_PROXIES",
            "names no proxy, but BASE_URL is https, so there is one: until it is named everybody "
            "seems to come from its address, guessers included (docs/operating.md)",
        )
    if config.egress.allow:
        allowed = ", ".join(config.egress.allow)
        yield warning("EGRESS_ALLOW", f"sources may reach {allowed}: make sure that is meant")


def _model(config: Config) -> Iterator[Finding]:
    """Whether there is one, whether the guard lets us ask it, and what it may cost."""
    model = config.model
    if model.api_url is None:
        yield ok("language model", "none: editions are told in their sources' own words")
        return
    try:
        Guard.parse(",".join(config.egress.allow)).check_url(model.api_url)
    except EgressError as error:
        host, port = error.refused or ("host", 443)
        way_out = f"if that is meant, add {host}:{port} to EGRESS_ALLOW"
        yield problem("LLM_API_URL", f"cannot be asked: {error.detail} {way_out}")
        return
    if model.api_url.startswith("http:") and model.api_key is not None:
        yield warning("LLM_API_URL", "is not https: the key and the texts travel in the open")
    caps = [f"{model.monthly_tokens:,} tokens"] if model.monthly_tokens else []
    caps += [f"{model.monthly_budget / 1_000_000:g} in money"] if model.monthly_budget else []
    if caps:
        yield ok("language model", f"{model.name}, at most {' and '.join(caps)} a month")
    else:
        yield warning("language model", f"{model.name}, without a cap: set LLM_MONTHLY_TOKENS")
