"""What a source's id may be on the command line."""

from __future__ import annotations

from typing import Final

import click

# What both databases can hold; a larger number would be an error of theirs.
SOURCE_ID: Final = click.IntRange(1, 2**63 - 1)
