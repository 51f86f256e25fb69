"""Options that many commands share, spelled once."""

from __future__ import annotations

from typing import Final

import click

from clawfeed.cli.terminal.number_arguments import WholeNumber

MOST_LISTED: Final = 1_000

json_object = click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead.")
json_array = click.option("--json", "as_json", is_flag=True, help="Print a JSON array instead.")
limit = click.option(
    "--limit",
    type=WholeNumber(1, MOST_LISTED),
    default=20,
    show_default=True,
    help="At most so many.",
)
