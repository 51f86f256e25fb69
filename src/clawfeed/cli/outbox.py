"""`clawfeed outbox`: messages on their way to channels."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from clawfeed.app.settings.config import Config
from clawfeed.cli.command_group import CommandGroup
from clawfeed.cli.startup import load_settings
from clawfeed.cli.terminal import options
from clawfeed.cli.terminal.number_arguments import CHANNEL_ID, DIGEST_ID, MESSAGE_ID
from clawfeed.domain.editions.delivery import MessageMove, MessageState
from clawfeed.domain.ids import ChannelId, DigestId, MessageId

if TYPE_CHECKING:
    from clawfeed.storage.outbox.outbox_admin import ListedMessage, MessageFilter

HEADER = ("ID", "STATE", "CHANNEL", "KIND", "WHAT", "PART", "TRIES", "CHANGED", "ERROR")


@click.group(cls=CommandGroup)
def outbox() -> None:
    """See what is on its way to channels; send a message again, or drop it.

    A message that is `uncertain` may have arrived: only a person can look, and say.

    \b
    Example:
      clawfeed outbox list --state uncertain
      clawfeed outbox resend 12
    """


@outbox.command("list")
@click.option(
    "--state",
    type=click.Choice([str(state) for state in MessageState]),
    help="Only these; all without.",
)
@click.option("--channel", type=CHANNEL_ID, metavar="ID", help="Only of this channel.")
@click.option("--digest", type=DIGEST_ID, metavar="ID", help="Only of this edition.")
@options.limit
@options.json_array
def list_messages(
    *, state: str | None, channel: int | None, digest: int | None, limit: int, as_json: bool
) -> None:
    """List messages, the newest first.

    Times are in TIMEZONE; in JSON they are UTC.

    \b
    Example:
      clawfeed outbox list
      clawfeed outbox list --state dead --json
    """
    from clawfeed.api.channels.outbox_json import message_as_json
    from clawfeed.app.processes.event_loop import run_async
    from clawfeed.cli.terminal.printing import print_json
    from clawfeed.cli.terminal.tables import table
    from clawfeed.storage.outbox.outbox_admin import MessageFilter

    config = load_settings()
    wanted = MessageFilter(
        state=MessageState(state) if state else None,
        channel=ChannelId(channel) if channel else None,
        digest=DigestId(digest) if digest else None,
    )
    found = run_async(_read(config, wanted, limit))
    if as_json:
        print_json([message_as_json(message) for message in found])
    elif found:
        rows = [_row(message, config.timezone) for message in found]
        click.echo(table(HEADER, rows, shrink=("ERROR", "CHANNEL"), drop=("CHANGED", "TRIES")))
    else:
        click.echo("no such messages", err=True)


@outbox.command()
@click.argument("message_id", type=MESSAGE_ID, metavar="ID")
def resend(*, message_id: int) -> None:
    """Send a message again that is uncertain or was given up; later parts follow.

    \b
    Example:
      clawfeed outbox resend 12
    """
    _move(message_id, MessageMove.RESEND)
    click.echo(f"message {message_id} will be sent again")


@outbox.command()
@click.argument("message_id", type=MESSAGE_ID, metavar="ID")
def drop(*, message_id: int) -> None:
    """Give a message up that waits or is uncertain: its edition waits for it no longer.

    \b
    Example:
      clawfeed outbox drop 12
    """
    _move(message_id, MessageMove.DROP)
    click.echo(f"message {message_id} is dropped")


def _row(message: ListedMessage, timezone: str) -> tuple[str, ...]:
    from clawfeed.cli.terminal.times import local

    what = f"{message.edition_type} {message.period}" if message.digest_id else "alarm"
    return (
        str(message.id),
        str(message.state),
        f"{message.channel_id} {message.channel_name}".strip(),
        message.kind,
        what,
        f"{message.part}/{message.parts}",
        str(message.attempts),
        local(message.updated_at, timezone),
        message.last_error or "",
    )


def _move(message_id: int, move: MessageMove) -> None:
    from clawfeed.app.processes.event_loop import run_async

    run_async(_moved(load_settings(), MessageId(message_id), move))


async def _read(config: Config, wanted: MessageFilter, limit: int) -> list[ListedMessage]:
    from clawfeed.app.wiring.entry_points import existing_database
    from clawfeed.storage.outbox.outbox_admin import OutboxAdmin

    async with existing_database(config) as database:
        return await OutboxAdmin(database).list(wanted, limit=limit)


async def _moved(config: Config, message: MessageId, move: MessageMove) -> None:
    from clawfeed.app.clock import system_clock
    from clawfeed.app.wiring.entry_points import existing_database
    from clawfeed.auth.request_actor import hand_at_the_keyboard
    from clawfeed.storage.outbox.outbox_admin import OutboxAdmin
    from clawfeed.storage.people.users import UserStore

    async with existing_database(config) as database:
        admin = await UserStore(database).oldest_admin()
        hand = hand_at_the_keyboard(system_clock(), by=admin.id if admin else None)
        await OutboxAdmin(database).move(message, move, hand)
