"""What a source's id may be on the command line."""

from __future__ import annotations

from typing import Final

import click

# What both databases can hold; a larger number would be an error of theirs.
LARGEST_ID = 2**63 - 1


class _SourceId(click.ParamType[int]):
    """A whole number from 1 on; anything else is told so in words that name no type of ours."""

    name = "id"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> int:
        text = str(value)
        number = int(text) if text.isascii() and text.isdigit() and len(text) < 20 else 0
        if not 1 <= number <= LARGEST_ID:
            self.fail(
                f"{text!r} is not the id of a source: `clawfeed source list` has them", param, ctx
            )
        return number


SOURCE_ID: Final = _SourceId()
