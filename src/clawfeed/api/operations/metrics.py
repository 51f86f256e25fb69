"""The fleet's figures as Prometheus text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from prometheus_client import CollectorRegistry, Gauge, ProcessCollector, generate_latest

from clawfeed.domain.alarm import AlarmCode
from clawfeed.domain.editions.edition import TaskState
from clawfeed.domain.money import in_money
from clawfeed.storage.editions.edition_metrics import EditionFigures
from clawfeed.storage.operations.collector_metrics import FleetFigures
from clawfeed.storage.outbox.outbox_admin import OutboxFigures
from clawfeed.storage.spending.model_spend import MonthSpend


def render(
    figures: FleetFigures,
    editions: EditionFigures,
    outbox: OutboxFigures,
    troubles: Sequence[AlarmCode],
    *,
    version: str,
    now: datetime,
) -> bytes:
    """One scrape. Figures come from the database, so any process of the fleet may answer."""
    registry = CollectorRegistry()
    ProcessCollector(registry=registry)
    _gauge(registry, "clawfeed_info", "Always 1; the version is the label", {"version": version}, 1)
    for state, count in figures.sources.items():
        _gauge(registry, f"clawfeed_sources_{state}", f"Sources that are {state}", {}, count)
    for name, count in figures.last_24h.items():
        _gauge(registry, f"clawfeed_{name}_24h", f"{name} in the last 24 hours", {}, count)
    lag = figures.due_lag.total_seconds()
    _gauge(registry, "clawfeed_due_lag_seconds", "How long the oldest due source waits", {}, lag)
    drift = figures.drift.total_seconds()
    _gauge(
        registry, "clawfeed_drift_seconds", "Planned against actual start, mean of 24 h", {}, drift
    )
    _gauge(
        registry,
        "clawfeed_collectors_alive",
        "Collectors that are alive",
        {},
        figures.collectors_alive,
    )
    if figures.last_heartbeat is not None:
        ago = figures.last_heartbeat.total_seconds()
        _gauge(
            registry, "clawfeed_last_heartbeat_seconds", "Since any collector's heartbeat", {}, ago
        )
    _labelled(registry, "clawfeed_executions", "Polls so far", "collector", figures.executions)
    _labelled(
        registry,
        "clawfeed_state_failures",
        "Execution states that could not be kept",
        "reason",
        figures.state_failures,
    )
    wrong = {str(code): troubles.count(code) for code in AlarmCode}
    _labelled(registry, "clawfeed_alarms", "What is wrong now, by its code", "code", wrong)
    _editions(registry, editions, now)
    _outbox(registry, outbox, now)
    _model_spend(registry, figures.model_spend)
    return generate_latest(registry)


def _editions(registry: CollectorRegistry, figures: EditionFigures, now: datetime) -> None:
    """The system's daily edition of today; of the state it is in, 1."""
    states = {str(state): int(state is figures.state) for state in TaskState}
    articles = {str(state): count for state, count in figures.articles.items()}
    _labelled(registry, "clawfeed_edition_state", "Where today's edition is", "state", states)
    name, doc = "clawfeed_edition_articles", "Articles of today's edition"
    _labelled(registry, name, doc, "state", articles)
    published, triggered = figures.last_published_at, figures.triggered_at
    if published is not None:
        name, doc = "clawfeed_edition_published_age_seconds", "Since an edition was published"
        _gauge(registry, name, doc, {}, (now - published).total_seconds())
    if triggered is not None:
        name, doc = "clawfeed_edition_trigger_age_seconds", "Since editions were triggered"
        _gauge(registry, name, doc, {}, (now - triggered).total_seconds())


def _outbox(registry: CollectorRegistry, figures: OutboxFigures, now: datetime) -> None:
    """What is on its way out; uncertain and dead ones wait for a person."""
    counts = {
        "pending": figures.pending,
        "uncertain": figures.uncertain,
        "dead": figures.dead,
    }
    _labelled(registry, "clawfeed_outbox_messages", "Messages on their way", "state", counts)
    due = figures.oldest_due_at
    lag = 0.0 if due is None else max(0.0, (now - due).total_seconds())
    _gauge(registry, "clawfeed_outbox_lag_seconds", "How long the oldest message waits", {}, lag)


def _model_spend(registry: CollectorRegistry, spend: MonthSpend) -> None:
    """The month's so far: back to nothing at the first of the next one (UTC)."""
    figures = {
        "calls": ("Questions to the language model", spend.calls),
        "remembered": ("Answers that were remembered", spend.remembered),
        "tokens": ("Tokens, those reserved included", spend.tokens),
        "cost": ("Cost in the currency of the prices", in_money(spend.cost_micros)),
        "capped": ("Whether the cap was met", spend.capped_at is not None),
    }
    for name, (doc, value) in figures.items():
        _gauge(registry, f"clawfeed_model_{name}_this_month", doc, {}, float(value))


def _gauge(
    registry: CollectorRegistry, name: str, doc: str, labels: dict[str, str], value: float
) -> None:
    gauge = Gauge(name, doc, labelnames=tuple(labels), registry=registry)
    (gauge.labels(**labels) if labels else gauge).set(value)


def _labelled(
    registry: CollectorRegistry, name: str, doc: str, label: str, values: Mapping[str, int]
) -> None:
    gauge = Gauge(name, doc, labelnames=(label,), registry=registry)
    for key, value in values.items():
        gauge.labels(**{label: key}).set(value)
