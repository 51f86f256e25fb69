"""Numbers on the command line: a wrong one is told so in words that name no type of ours."""

from __future__ import annotations

from typing import Final

import click

# What both databases can hold; a larger number would be an error of theirs.
LARGEST_ID = 2**63 - 1


class WholeNumber(click.IntRange):
    """From the least to the most, both included."""

    name = "whole number"


class _Id(click.ParamType[int]):
    """A whole number from 1 on."""

    name = "id"

    def __init__(self, thing: str, listed_by: str) -> None:
        self._thing, self._listed_by = thing, listed_by

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> int:
        text = str(value)
        number = int(text) if text.isascii() and text.isdigit() and len(text) < 20 else 0
        if not 1 <= number <= LARGEST_ID:
            self.fail(
                f"{text!r} is not the id of {self._thing}: `{self._listed_by}` has them", param, ctx
            )
        return number


SOURCE_ID: Final = _Id("a source", "clawfeed source list")
KEY_ID: Final = _Id("an API key", "clawfeed apikey list")
FEED_TOKEN_ID: Final = _Id("a feed token", "clawfeed feed-token list")
CHANNEL_ID: Final = _Id("a channel", "clawfeed channel list")
STORY_ID: Final = _Id("a story", "clawfeed digest show --format json")
MESSAGE_ID: Final = _Id("a message", "clawfeed outbox list")
DIGEST_ID: Final = _Id("an edition", "clawfeed digest list")
