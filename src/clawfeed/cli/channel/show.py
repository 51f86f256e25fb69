"""`clawfeed channel list` and `clawfeed channel show`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from clawfeed.app.settings.config import Config
from clawfeed.cli.channel.channel_lookup import (
    kinds,
    label,
    opened_channels,
    owner_of,
    shown_as_json,
)
from clawfeed.cli.startup import load_settings
from clawfeed.cli.terminal import options
from clawfeed.cli.terminal.number_arguments import CHANNEL_ID
from clawfeed.domain.ids import ChannelId

if TYPE_CHECKING:
    from clawfeed.domain.ids import UserId
    from clawfeed.publish.channel_type import ChannelTypes

HEADER = ("ID", "KIND", "WHOSE", "NAME", "ADDRESS", "EDITIONS", "STATE")
# So many of the latest editions are shown with a channel.
DELIVERIES_SHOWN = 10


@click.command("list")
@click.option("--user", "email", metavar="EMAIL", help="Only this person's.")
@click.option("--everybody", "is_house", is_flag=True, help="Only those for everybody's editions.")
@options.json_object
def list_channels(*, email: str | None, is_house: bool, as_json: bool) -> None:
    """List where editions go; never a secret.

    \b
    Example:
      clawfeed channel list
      clawfeed channel list --user anna@example.org --json
    """
    from clawfeed.app.processes.event_loop import run_async
    from clawfeed.cli.terminal.printing import print_json
    from clawfeed.cli.terminal.tables import table

    if is_house and email:
        raise click.UsageError("Give --user or --everybody, not both.")
    found = run_async(_list(load_settings(), kinds(), email, is_house=is_house))
    if as_json:
        print_json({"channels": found})
    elif found:
        click.echo(table(HEADER, map(_row, found), shrink=("ADDRESS", "NAME", "WHOSE")))
    else:
        click.echo("there are no channels: `clawfeed channel add --help` tells how to make one")


@click.command()
@click.argument("channel_id", type=CHANNEL_ID, metavar="ID")
@options.json_object
def show(*, channel_id: int, as_json: bool) -> None:
    """Show a channel, what is wrong with it, and what came of the latest editions.

    \b
    Example:
      clawfeed channel show 3
    """
    from clawfeed.app.processes.event_loop import run_async
    from clawfeed.cli.terminal.printing import print_json

    found = run_async(_show(load_settings(), kinds(), ChannelId(channel_id)))
    if as_json:
        print_json(found)
    else:
        click.echo("\n".join(_lines(found)))


def _row(shown: dict[str, Any]) -> tuple[str, ...]:
    return (
        str(shown["id"]),
        shown["kind"],
        shown["whose"],
        shown["name"],
        shown["address"],
        ", ".join(shown["edition_types"]) or "none",
        _state(shown),
    )


def _state(shown: dict[str, Any]) -> str:
    if shown["state"] == "active":
        return "secrets missing" if shown["secrets_problem"] else "active"
    return "failed" if shown["paused_because"] == "failed" else "paused"


def _lines(shown: dict[str, Any]) -> list[str]:
    from clawfeed.app.processes.logging_setup import one_line

    quiet = f"{shown['quiet_from']}-{shown['quiet_until']}" if shown["quiet_from"] else "never"
    facts = {
        "whose": shown["whose"],
        "state": _state(shown),
        "why": shown["last_error"] or shown["secrets_problem"] or "",
        "editions": ", ".join(shown["edition_types"]) or "none",
        "sent": f"from {shown['delivery_time']} on" if shown["delivery_time"] else "when ready",
        "quiet": quiet,
        "zone": shown["zone"],
        "language": shown["language"],
        "alarms": "yes" if shown["gets_alarms"] else "no",
        "options": ", ".join(f"{key}={value}" for key, value in shown["config"].items()),
        "secrets": ", ".join(shown["has_secrets"]) or "none",
    }
    told = [f"  {name:<9} {one_line(str(value))}" for name, value in facts.items() if value]
    history = [
        f"  {each['period']:<10} {each['type']:<8} {each['state']:<9} "
        f"{one_line(each['last_error'] or '')}".rstrip()
        for each in shown["deliveries"]
    ]
    return [label(shown), *told, *(["latest editions:", *history] if history else [])]


async def _list(
    config: Config, types: ChannelTypes, email: str | None, *, is_house: bool
) -> list[dict[str, Any]]:
    from clawfeed.api.channels.channel_json import channel_as_json
    from clawfeed.cli.person_arguments import reader_named
    from clawfeed.storage.people.users import UserStore

    async with opened_channels(config, types) as (database, channels):
        store = channels.admin.store
        if is_house or email:
            found = await store.list(await reader_named(database, email))
        else:
            found = await store.list_all()
        people: dict[UserId | None, str] = {
            each.user.id: each.user.email for each in await UserStore(database).list()
        }
        return [
            {**channel_as_json(each), "whose": _whose(people.get(each.channel.owner_id))}
            for each in await channels.admin.show(found)
        ]


async def _show(config: Config, types: ChannelTypes, channel_id: ChannelId) -> dict[str, Any]:
    from clawfeed.api.channels.channel_json import delivery_as_json
    from clawfeed.storage.outbox.delivery_states import deliveries_to

    async with opened_channels(config, types) as (database, channels):
        channel = await channels.admin.store.get(channel_id)
        owner = await owner_of(database, channel)
        latest = await deliveries_to(database, channel.id, limit=DELIVERIES_SHOWN)
        return {
            **await shown_as_json(channels, channel),
            "whose": _whose(owner.email if owner else None),
            "deliveries": [delivery_as_json(each) for each in latest],
        }


def _whose(email: str | None) -> str:
    return email or "everybody"
