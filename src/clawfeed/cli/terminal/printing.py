"""What commands print besides their own lines: JSON, and warnings on stderr."""

from __future__ import annotations

import json

import click

from clawfeed.app.processes.logging_setup import one_line
from clawfeed.cli.terminal.width import folded


def print_json(value: object) -> None:
    click.echo(json.dumps(value, ensure_ascii=False, indent=2))


def warn(sentence: str) -> None:
    click.echo(folded(f"warning: {one_line(sentence)}", err=True), err=True)
