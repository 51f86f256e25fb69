"""`clawfeed doctor`."""

from __future__ import annotations

import sys

import click

from clawfeed.app.settings.config import Config
from clawfeed.cli.startup import load_settings
from clawfeed.cli.terminal import options

MARKS = {"ok": ("✓", "green"), "warning": ("!", "yellow"), "problem": ("✗", "red")}


@click.command()
@options.json_object
def doctor(*, as_json: bool) -> None:
    """Show the effective configuration and what is missing or unsafe.

    Secrets are masked, so the output can be pasted into a question. Exits with 1 if there is a
    problem.

    \b
    Example:
      clawfeed doctor
    """
    from clawfeed.app.doctor import examine
    from clawfeed.app.doctor_findings.finding import Severity
    from clawfeed.app.processes.event_loop import run_async

    config = load_settings()
    findings = run_async(examine(config))
    if as_json:
        _print_json(config, [(f.decision, f.about, f.text) for f in findings])
    else:
        _print_text(config, [(f.decision, f.about, f.text) for f in findings])
    sys.exit(int(any(finding.decision is Severity.PROBLEM for finding in findings)))


def _print_text(config: Config, findings: list[tuple[str, str, str]]) -> None:
    click.secho("Settings", bold=True)
    for name, shown, origin in config.describe():
        note = "" if origin == "default" else f"  ({origin})"
        click.echo(f"  {name:<32} {shown}{note}")
    click.secho("\nFindings", bold=True)
    for decision, about, text in findings:
        mark, colour = MARKS[decision]
        click.echo(f"  {click.style(mark, fg=colour)} {about:<16} {text}")


def _print_json(config: Config, findings: list[tuple[str, str, str]]) -> None:
    import json

    settings = {
        name: {"value": shown, "origin": origin} for name, shown, origin in config.describe()
    }
    listed = [{"decision": v, "about": about, "text": text} for v, about, text in findings]
    click.echo(json.dumps({"settings": settings, "findings": listed}, indent=2))
