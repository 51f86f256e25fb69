"""The fleet's figures as Prometheus text."""

from __future__ import annotations

from collections.abc import Mapping

from prometheus_client import CollectorRegistry, Gauge, ProcessCollector, generate_latest

from clawfeed.storage.fleet_metrics import FleetFigures


def render(figures: FleetFigures, version: str) -> bytes:
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
        "Collectors that give signs",
        {},
        figures.collectors_alive,
    )
    if figures.last_sign is not None:
        ago = figures.last_sign.total_seconds()
        _gauge(registry, "clawfeed_last_sign_seconds", "Since any collector gave a sign", {}, ago)
    _labelled(registry, "clawfeed_executions", "Polls so far", "collector", figures.executions)
    _labelled(
        registry,
        "clawfeed_state_failures",
        "Execution states that could not be kept",
        "reason",
        figures.state_failures,
    )
    return generate_latest(registry)


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
