"""`clawfeed feed-token`: secret addresses at which feed readers find somebody's own editions."""

from __future__ import annotations

import click

from clawfeed.app.settings.config import Config
from clawfeed.cli.command_group import CommandGroup
from clawfeed.cli.person_arguments import person_named
from clawfeed.cli.startup import load_settings
from clawfeed.cli.terminal import options
from clawfeed.cli.terminal.number_arguments import FEED_TOKEN_ID
from clawfeed.domain.ids import FeedTokenId
from clawfeed.domain.people.user_names import normal_email


@click.group("feed-token", cls=CommandGroup)
def feed_token() -> None:
    """Make, list and revoke addresses of people's own feeds.

    \b
    Example:
      clawfeed feed-token create --user anna@example.org
      clawfeed feed-token list
    """


@feed_token.command()
@click.option("--user", "email", required=True, metavar="EMAIL", help="Whose editions it shows.")
def create(*, email: str) -> None:
    """Make a token and print its feed's address, this once: only its hash is kept.

    \b
    Example:
      clawfeed feed-token create --user anna@example.org
    """
    from clawfeed.app.processes.event_loop import run_async

    click.echo(run_async(_create(load_settings(), normal_email(email))))


@feed_token.command("list")
@options.json_object
def list_tokens(*, as_json: bool) -> None:
    """List the feed tokens, without the tokens.

    \b
    Example:
      clawfeed feed-token list
    """
    from clawfeed.app.processes.event_loop import run_async

    run_async(_list(load_settings(), as_json=as_json))


@feed_token.command()
@click.argument("token_id", type=FEED_TOKEN_ID, metavar="ID")
def revoke(*, token_id: int) -> None:
    """End a token at once; its id is in the list.

    \b
    Example:
      clawfeed feed-token revoke 3
    """
    from clawfeed.app.processes.event_loop import run_async

    run_async(_revoke(load_settings(), FeedTokenId(token_id)))
    click.echo(f"revoked feed token {token_id}")


async def _create(config: Config, email: str) -> str:
    from clawfeed.app.clock import system_clock
    from clawfeed.app.wiring.entry_points import existing_database
    from clawfeed.auth.keys_and_tokens import KeysAndTokens
    from clawfeed.auth.request_actor import hand_at_the_keyboard
    from clawfeed.auth.tokens import feed_address
    from clawfeed.storage.people.users import UserStore

    hand = hand_at_the_keyboard(system_clock())
    async with existing_database(config) as database:
        owner = await person_named(UserStore(database), email)
        made = await KeysAndTokens(database).make_token(owner.id, hand)
    return feed_address(config.server.base_url, made.text)


async def _list(config: Config, *, as_json: bool) -> None:
    from clawfeed.app.wiring.entry_points import existing_database
    from clawfeed.cli.terminal.printing import print_json
    from clawfeed.cli.terminal.tables import table
    from clawfeed.cli.terminal.times import local
    from clawfeed.domain.moments import iso
    from clawfeed.storage.people.feed_tokens import FeedTokens

    async with existing_database(config) as database:
        tokens = await FeedTokens(database).list()
    if as_json:
        shown = [
            {
                "id": each.id,
                "user": each.user.email,
                "created_at": iso(each.created_at),
                "last_used_at": iso(each.last_used_at),
            }
            for each in tokens
        ]
        print_json({"feed_tokens": shown})
        return
    rows = [
        (
            str(each.id),
            each.user.email,
            local(each.created_at, config.timezone),
            local(each.last_used_at, config.timezone) if each.last_used_at else "never",
        )
        for each in tokens
    ]
    head = ("ID", "USER", "MADE", "LAST USED")
    click.echo(table(head, rows, shrink=("USER",)) if rows else "there are no feed tokens")


async def _revoke(config: Config, token_id: FeedTokenId) -> None:
    from clawfeed.app.clock import system_clock
    from clawfeed.app.wiring.entry_points import existing_database
    from clawfeed.auth.keys_and_tokens import KeysAndTokens
    from clawfeed.auth.request_actor import hand_at_the_keyboard

    async with existing_database(config) as database:
        hand = hand_at_the_keyboard(system_clock())
        await KeysAndTokens(database).revoke_token(token_id, hand)
