"""What people say about a channel on the command line; no secret, which others could see there."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from clawfeed.cli.terminal import options
from clawfeed.domain.channels.channel import LONGEST_SECRET, ChannelDraft, ChannelTiming, QuietHours
from clawfeed.domain.editions.edition_period import EditionType
from clawfeed.domain.secret import Secret
from clawfeed.domain.wall_clock import is_zone, time_at
from clawfeed.domain.wording.because_wording import Language

if TYPE_CHECKING:
    from clawfeed.domain.ids import JsonValue
    from clawfeed.publish.channel_type import ChannelType

NEVER: Final = "never"
_OPTIONS: Final = (
    click.option("--name", help="What it is called."),
    click.option("--set", "pairs", multiple=True, metavar="KEY=VALUE", help="Set an option of it."),
    click.option(
        "--secret",
        "secret_files",
        multiple=True,
        metavar="NAME=FILE",
        help="Read a secret from a file; - is stdin.",
    ),
    click.option(
        "--types", metavar="TYPE,...", help="Which editions: 4h, daily, weekly, monthly, or none."
    ),
    click.option("--at", metavar="HH:MM|never", help="Not before this time of day."),
    click.option("--quiet", metavar="HH:MM-HH:MM|never", help="Send nothing between these."),
    click.option("--zone", help="The time zone of these times, such as Europe/Berlin."),
    click.option("--language", type=click.Choice([str(each) for each in Language])),
    click.option("--alarms/--no-alarms", "gets_alarms", default=None, help="Alarms go there, too."),
    options.json_object,
)


def with_channel_options(command: Callable[..., None]) -> Callable[..., None]:
    """*command* with every option that says what a channel shall be."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelArguments:
    """What was given; None and nothing stay as they are."""

    name: str | None
    pairs: tuple[str, ...]
    secret_files: tuple[str, ...]
    types: str | None
    at: str | None
    quiet: str | None
    zone: str | None
    language: str | None
    gets_alarms: bool | None

    @property
    def is_empty(self) -> bool:
        nothing = (None, ())
        return all(getattr(self, name) in nothing for name in self.__slots__)

    def applied_to(self, draft: ChannelDraft) -> ChannelDraft:
        """*draft* with what was given, but for the secrets."""
        changes: dict[str, Any] = {"config": {**draft.config, **dict(map(_pair, self.pairs))}}
        if self.types is not None:
            changes["edition_types"] = _types(self.types)
        for name in ("name", "language", "gets_alarms"):
            if getattr(self, name) is not None:
                changes[name] = getattr(self, name)
        return replace(draft, timing=self._timing(draft.timing), **changes)

    def secrets(self) -> dict[str, Secret]:
        """Those that were given as files."""
        return {name: _read(name, file) for name, file in map(_named, self.secret_files)}

    def _timing(self, before: ChannelTiming) -> ChannelTiming:
        return ChannelTiming(
            zone=before.zone if self.zone is None else _zone(self.zone),
            deliver_at=before.deliver_at if self.at is None else _at(self.at),
            quiet=before.quiet if self.quiet is None else _quiet(self.quiet),
        )


def ask_for_secrets(kind: ChannelType, given: Mapping[str, Secret]) -> dict[str, Secret]:
    """*given*, and what is needed besides, asked for without showing it."""
    from clawfeed.publish.channel_validation import require_secret_names

    require_secret_names(kind, given.keys())  # before a mistyped name is asked for by its right one
    missing = [name for name in kind.secrets if name not in given]
    if missing and not sys.stdin.isatty():
        raise click.UsageError(
            f"There is no terminal to ask for {missing[0]}: give --secret {missing[0]}=FILE, "
            f"or {missing[0]}=- to read it from stdin."
        )
    asked = {name: click.prompt(name, hide_input=True, err=True) for name in missing}
    return {**given, **{name: Secret(text) for name, text in asked.items()}}


def _pair(text: str) -> tuple[str, JsonValue]:
    key, equals, value = text.partition("=")
    if not key or not equals:
        raise click.BadParameter("write it as KEY=VALUE", param_hint="--set")
    return key, value


def _named(text: str) -> tuple[str, str]:
    name, equals, file = text.partition("=")
    if not re.fullmatch("[a-z_]{1,50}", name) or not equals or not file:
        raise click.BadParameter("write it as NAME=FILE, or NAME=-", param_hint="--secret")
    return name, file


def _read(name: str, file: str) -> Secret:
    try:
        if file == "-":
            content = sys.stdin.buffer.read(LONGEST_SECRET + 3)
        else:
            with Path(file).open("rb") as opened:
                content = opened.read(LONGEST_SECRET + 3)
        text = content.decode("utf-8").removesuffix("\n").removesuffix("\r")
    except (OSError, ValueError):
        # Without what was written there: somebody may have put the secret itself.
        raise click.BadParameter(
            f"{name}: there is no such file of text; a secret is read from a file or from stdin "
            "(-), never from the command line",
            param_hint="--secret",
        ) from None
    if not 0 < len(text) <= LONGEST_SECRET:
        raise click.BadParameter(
            f"{name}: 1 to {LONGEST_SECRET} characters are read", param_hint="--secret"
        )
    return Secret(text)


def _types(text: str) -> tuple[EditionType, ...]:
    wanted = [each.strip() for each in text.split(",")] if text != "none" else []
    unknown = [each for each in wanted if each not in list(EditionType)]
    if unknown:
        known = ", ".join(EditionType)
        raise click.BadParameter(f"{unknown[0]!r} is none of {known}, none", param_hint="--types")
    return tuple(each for each in EditionType if each in wanted)


def _at(text: str) -> time | None:
    if text == NEVER:
        return None
    found = time_at(text)
    if found is None:
        raise click.BadParameter("write it like 07:30, or never", param_hint="--at")
    return found


def _quiet(text: str) -> QuietHours | None:
    if text == NEVER:
        return None
    begins, _, ends = text.partition("-")
    start, end = time_at(begins), time_at(ends)
    if start is None or end is None:
        raise click.BadParameter("write it like 22:00-07:00, or never", param_hint="--quiet")
    return QuietHours(start=start, end=end)


def _zone(name: str) -> str:
    if not is_zone(name):
        raise click.BadParameter(
            "there is no such time zone: write it like Europe/Berlin", param_hint="--zone"
        )
    return name
