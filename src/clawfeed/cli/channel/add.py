"""`clawfeed channel add` and `clawfeed channel edit`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import click

from clawfeed.app.settings.config import Config
from clawfeed.cli.channel.arguments import ChannelArguments, ask_for_secrets, with_channel_options
from clawfeed.cli.channel.channel_lookup import (
    kinds,
    label,
    opened_channels,
    owner_of,
    shown_as_json,
)
from clawfeed.cli.person_arguments import person_meant
from clawfeed.cli.startup import load_settings
from clawfeed.cli.terminal.number_arguments import CHANNEL_ID
from clawfeed.domain.ids import ChannelId

# What kinds call it whose address nobody else may know.
WEBHOOK_URL: Final = "url"

if TYPE_CHECKING:
    from collections.abc import Callable

    from clawfeed.domain.channels.channel import ChannelDraft
    from clawfeed.publish.channel_type import ChannelTypes

    Shown = dict[str, object]
    Drafting = Callable[[ChannelDraft], ChannelDraft]


@click.command()
@click.argument("kind")
@click.argument("address", default="")
@click.option("--user", "email", metavar="EMAIL", help="Whose; not needed if there is one account.")
@click.option("--everybody", "is_house", is_flag=True, help="For everybody's editions instead.")
@with_channel_options
def add(
    *,
    kind: str,
    address: str,
    email: str | None,
    is_house: bool,
    as_json: bool,
    **given: Any,  # noqa: ANN401 -- click's own
) -> None:
    """Send somebody's editions to ADDRESS; docs/channels.md has the kinds.

    Secrets are asked for without showing them, or read from files.

    \b
    Example:
      clawfeed channel add telegram @my_chat --user anna@example.org --at 07:30
      clawfeed channel add telegram @my_chat --secret bot_token=token.txt
      clawfeed channel add slack
    """
    from clawfeed.app.processes.event_loop import run_async

    if is_house and email:
        raise click.UsageError("Give --user or --everybody, not both.")
    arguments, types = ChannelArguments(**given), kinds()
    if address and WEBHOOK_URL in types[kind].secrets:
        raise click.UsageError(
            f"Leave ADDRESS out: that of a {kind} channel is a secret, which is asked for, or read "
            f"by --secret {WEBHOOK_URL}=FILE."
        )
    secrets = ask_for_secrets(types[kind], arguments.secrets())

    def drafted(default_draft: ChannelDraft) -> ChannelDraft:
        named = replace(default_draft, kind=kind, address=address, secrets=secrets)
        return arguments.applied_to(named)

    added = run_async(_add(load_settings(), types, drafted, email, is_house=is_house))
    _tell("added", added, as_json=as_json)


@click.command()
@click.argument("channel_id", type=CHANNEL_ID, metavar="ID")
@click.option("--address", help="Another address; its secrets are needed again then.")
@click.option("--unset", "unset", multiple=True, metavar="KEY", help="Take an option out of it.")
@click.option("--forget", "forget", multiple=True, metavar="NAME", help="Forget a secret.")
@with_channel_options
def edit(
    *,
    channel_id: int,
    address: str | None,
    unset: tuple[str, ...],
    forget: tuple[str, ...],
    as_json: bool,
    **given: Any,  # noqa: ANN401 -- click's own
) -> None:
    """Change a channel; what is not given stays.

    \b
    Example:
      clawfeed channel edit 3 --at 08:00 --quiet 22:00-07:00 --zone Asia/Shanghai
      clawfeed channel edit 3 --secret bot_token=token.txt
    """
    from clawfeed.app.processes.event_loop import run_async

    arguments = ChannelArguments(**given)
    if arguments.is_empty and address is None and not unset and not forget:
        raise click.UsageError("Say what to change: `clawfeed channel edit --help` has it all.")
    secrets = arguments.secrets()

    def changed(known: ChannelDraft) -> ChannelDraft:
        draft = arguments.applied_to(replace(known, address=address or known.address))
        config = {key: value for key, value in draft.config.items() if key not in unset}
        return replace(draft, config=config, secrets=secrets)

    found = run_async(
        _edit(load_settings(), kinds(), ChannelId(channel_id), changed, frozenset(forget))
    )
    _tell("changed", found, as_json=as_json)


def _tell(done: str, shown: Shown, *, as_json: bool) -> None:
    from clawfeed.cli.terminal.printing import print_json

    if as_json:
        print_json(shown)
    else:
        click.echo(f"{done} {label(shown)}; `clawfeed channel test {shown['id']}` tries it out")


async def _add(
    config: Config,
    types: ChannelTypes,
    drafted: Drafting,
    email: str | None,
    *,
    is_house: bool,
) -> Shown:
    from clawfeed.app.clock import system_clock

    async with opened_channels(config, types, may_create=True) as (database, channels):
        owner = None if is_house else await person_meant(database, email)
        added = await channels.admin.add(
            owner,
            drafted(await channels.admin.default_draft(owner)),
            may_get_alarms=owner is None or owner.is_admin,
            now=system_clock(),
        )
        return await shown_as_json(channels, added)


async def _edit(
    config: Config,
    types: ChannelTypes,
    channel_id: ChannelId,
    changed: Drafting,
    forget: frozenset[str],
) -> Shown:
    from clawfeed.app.clock import system_clock
    from clawfeed.publish.channel_validation import ChannelRules, draft_of

    async with opened_channels(config, types) as (database, channels):
        channel = await channels.admin.store.get(channel_id)
        owner = await owner_of(database, channel)
        rules = ChannelRules(owner=owner, may_get_alarms=owner is None or owner.is_admin)
        found = await channels.admin.change(
            channel, changed(draft_of(channel)), rules, forget=forget, now=system_clock()
        )
        return await shown_as_json(channels, found)
