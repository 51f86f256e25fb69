"""`clawfeed apikey`: keys for scripts."""

from __future__ import annotations

import click

from clawfeed.app.settings.config import Config
from clawfeed.cli.command_group import CommandGroup
from clawfeed.cli.person_arguments import person_named
from clawfeed.cli.startup import load_settings
from clawfeed.cli.terminal import options
from clawfeed.cli.terminal.number_arguments import KEY_ID, WholeNumber
from clawfeed.domain.ids import ApiKeyId
from clawfeed.domain.people.user_names import normal_email, normal_name
from clawfeed.domain.people.users import SCOPES, Scope


@click.group(cls=CommandGroup)
def apikey() -> None:
    """Make, list and revoke API keys.

    \b
    Example:
      clawfeed apikey create --user anna@example.org --name backup --scope read
      clawfeed apikey list
    """


@apikey.command()
@click.option("--user", "email", required=True, metavar="EMAIL", help="Whose key it is.")
@click.option("--name", required=True, help="What it is for, to recognise it later.")
@click.option("--scope", type=click.Choice([str(scope) for scope in SCOPES]), required=True)
@click.option("--days", type=WholeNumber(1, 3650), default=365, show_default=True)
def create(*, email: str, name: str, scope: str, days: int) -> None:
    """Make a key and print it, this once: only its hash is kept.

    \b
    Example:
      clawfeed apikey create --user anna@example.org --name backup --scope read
    """
    from clawfeed.app.processes.event_loop import run_async

    email, name = normal_email(email), normal_name(name)
    click.echo(run_async(_create(load_settings(), email, name, Scope(scope), days)))


@apikey.command("list")
@options.json_object
def list_keys(*, as_json: bool) -> None:
    """List the keys that were not revoked, without the keys.

    \b
    Example:
      clawfeed apikey list
    """
    from clawfeed.app.processes.event_loop import run_async

    run_async(_list(load_settings(), as_json=as_json))


@apikey.command()
@click.argument("key_id", type=KEY_ID, metavar="ID")
def revoke(*, key_id: int) -> None:
    """End a key at once; its id is in the list.

    \b
    Example:
      clawfeed apikey revoke 3
    """
    from clawfeed.app.processes.event_loop import run_async

    run_async(_revoke(load_settings(), ApiKeyId(key_id)))
    click.echo(f"revoked API key {key_id}")


async def _create(config: Config, email: str, name: str, scope: Scope, days: int) -> str:
    from clawfeed.app.clock import system_clock
    from clawfeed.app.wiring.entry_points import existing_database
    from clawfeed.auth.keys_and_tokens import KeysAndTokens
    from clawfeed.auth.request_actor import hand_at_the_keyboard
    from clawfeed.storage.people.users import UserStore

    hand = hand_at_the_keyboard(system_clock())
    async with existing_database(config) as database:
        owner = await person_named(UserStore(database), email)
        made = await KeysAndTokens(database).make_key(owner, hand, name, scope, days=days)
    return made.text


async def _list(config: Config, *, as_json: bool) -> None:
    from clawfeed.app.wiring.entry_points import existing_database
    from clawfeed.cli.terminal.printing import print_json
    from clawfeed.cli.terminal.tables import table
    from clawfeed.cli.terminal.times import local
    from clawfeed.domain.moments import iso
    from clawfeed.storage.people.api_keys import ApiKeys

    async with existing_database(config) as database:
        keys = await ApiKeys(database).list()
    if as_json:
        shown = [
            {
                "id": key.id,
                "user": key.user.email,
                "name": key.name,
                "key": f"cf_{key.key_id}_…{key.last4}",
                "scope": str(key.scope),
                "expires_at": iso(key.expires_at),
                "last_used_at": iso(key.last_used_at),
            }
            for key in keys
        ]
        print_json({"keys": shown})
        return
    rows = [
        (
            str(key.id),
            key.user.email,
            key.name,
            f"cf_{key.key_id}_…{key.last4}",
            str(key.scope),
            local(key.expires_at, config.timezone) if key.expires_at else "never",
            local(key.last_used_at, config.timezone) if key.last_used_at else "never",
        )
        for key in keys
    ]
    head = ("ID", "USER", "NAME", "KEY", "SCOPE", "EXPIRES", "LAST USED")
    click.echo(
        table(head, rows, shrink=("NAME", "USER"), drop=("LAST USED",))
        if rows
        else "there are no API keys"
    )


async def _revoke(config: Config, key_id: ApiKeyId) -> None:
    from clawfeed.app.clock import system_clock
    from clawfeed.app.wiring.entry_points import existing_database
    from clawfeed.auth.keys_and_tokens import KeysAndTokens
    from clawfeed.auth.request_actor import hand_at_the_keyboard

    async with existing_database(config) as database:
        await KeysAndTokens(database).revoke_key(key_id, hand_at_the_keyboard(system_clock()))
