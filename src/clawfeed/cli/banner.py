"""What a person at a terminal reads once the server is up."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from clawfeed.app.processes.ready_signal import Greet


def greeting() -> Greet | None:
    """How to greet; None where nobody sits at a terminal: there the log tells the same."""
    return greet if sys.stdout.isatty() else None


def greet(url: str, link: str | None) -> None:
    """The address, and the first admin's link on a line of its own, to be clicked or copied."""
    up = click.style("ClawFeed is up", bold=True)
    lines = [
        "",
        f"{up} at {url}",
        "Ctrl-C stops it; `clawfeed status` shows how the sources do.",
    ]
    if link:
        lines += ["", "Nobody can sign in yet. Choose the admin's password here, within a day:"]
        lines += ["", link]
    click.echo("\n".join([*lines, ""]))
