"""`clawfeed channel test`, `pause`, `resume` and `remove`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

import click

from clawfeed.app.settings.config import Config
from clawfeed.cli.channel.channel_lookup import kinds, opened_channels
from clawfeed.cli.startup import load_settings
from clawfeed.cli.terminal import options
from clawfeed.cli.terminal.number_arguments import CHANNEL_ID
from clawfeed.domain.ids import ChannelId

if TYPE_CHECKING:
    from clawfeed.domain.channels.channel import Channel
    from clawfeed.publish.channel_admin import ChannelAdmin
    from clawfeed.publish.channel_trial import TrialResult
    from clawfeed.publish.channel_type import ChannelTypes

    Change = Callable[[ChannelAdmin, Channel], Awaitable[object]]

IDS = click.argument("ids", nargs=-1, required=True, type=CHANNEL_ID, metavar="ID...")


@click.command("test")
@click.argument("channel_id", type=CHANNEL_ID, metavar="ID")
@options.json_object
def try_out(*, channel_id: int, as_json: bool) -> None:
    """Send a short word to a channel now, and tell what came of it; 1 if it did not arrive.

    \b
    Example:
      clawfeed channel test 3
    """
    from clawfeed.app.processes.event_loop import run_async
    from clawfeed.cli.terminal.printing import print_json

    result = run_async(_try_out(load_settings(), kinds(), ChannelId(channel_id)))
    if as_json:
        from clawfeed.api.channels.channel_json import trial_as_json

        print_json(trial_as_json(result))
    else:
        click.echo(result.told)
    if not result.has_arrived:
        click.get_current_context().exit(1)


@click.command()
@IDS
@options.json_object
def pause(*, ids: tuple[int, ...], as_json: bool) -> None:
    """Send nothing to channels until `clawfeed channel resume` takes them up again.

    \b
    Example:
      clawfeed channel pause 3 7
    """

    async def change(admin: ChannelAdmin, channel: Channel) -> None:
        from clawfeed.app.clock import system_clock

        await admin.pause(channel, now=system_clock())

    _change_all(ids, change, "paused", as_json=as_json)


@click.command()
@IDS
@options.json_object
def resume(*, ids: tuple[int, ...], as_json: bool) -> None:
    """Send to channels again, and forget what was wrong with them.

    \b
    Example:
      clawfeed channel resume 3
    """

    async def change(admin: ChannelAdmin, channel: Channel) -> None:
        from clawfeed.app.clock import system_clock

        await admin.resume(channel, now=system_clock())

    _change_all(ids, change, "resumed", as_json=as_json)


@click.command()
@IDS
@options.json_object
def remove(*, ids: tuple[int, ...], as_json: bool) -> None:
    """Forget channels, with their secrets and what was sent to them.

    \b
    Example:
      clawfeed channel remove 3
    """

    async def change(admin: ChannelAdmin, channel: Channel) -> None:
        await admin.remove(channel)

    _change_all(ids, change, "removed", as_json=as_json)


def _change_all(ids: tuple[int, ...], change: Change, done: str, *, as_json: bool) -> None:
    from clawfeed.app.processes.event_loop import run_async
    from clawfeed.cli.terminal.printing import print_json

    wanted = [ChannelId(id_) for id_ in dict.fromkeys(ids)]
    run_async(_change(load_settings(), kinds(), wanted, change))
    if as_json:
        print_json({done: wanted})
    else:
        click.echo("\n".join(f"{done} channel {id_}" for id_ in wanted))


async def _change(
    config: Config, types: ChannelTypes, ids: list[ChannelId], change: Change
) -> None:
    """All, or none if one of them is not there."""
    async with opened_channels(config, types) as (_, channels):
        found = [await channels.admin.store.get(each) for each in ids]
        for channel in found:
            await change(channels.admin, channel)


async def _try_out(config: Config, types: ChannelTypes, channel_id: ChannelId) -> TrialResult:
    from clawfeed.app.wiring.fetching import open_egress

    async with (
        opened_channels(config, types) as (_, channels),
        open_egress(config) as egress,
    ):
        channel = await channels.admin.store.get(channel_id)
        return await channels.trial(egress).send(channel, knows_network=True)
