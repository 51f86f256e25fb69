"""`clawfeed x`: whose own X may be read (S001-20)."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import click

from clawfeed.app.settings.config import Config
from clawfeed.cli.command_group import CommandGroup
from clawfeed.cli.person_arguments import person_meant
from clawfeed.cli.startup import load_settings
from clawfeed.cli.terminal import options
from clawfeed.domain.errors import InvalidInputError

if TYPE_CHECKING:
    from clawfeed.auth.x_authorisation import XAuthorisationFlow
    from clawfeed.domain.people.users import User

LONGEST_ADDRESS = 10_000
USER_OPTION = click.option(
    "--user", "email", help="Whose; not needed if only one person has an account."
)


@click.group(cls=CommandGroup)
def x() -> None:
    """Let ClawFeed read somebody's own X: bookmarks, likes, timeline.

    \b
    Example:
      clawfeed x authorise --user anna@example.org
      clawfeed x status --user anna@example.org
    """


@x.command()
@USER_OPTION
def authorise(*, email: str | None) -> None:
    """Print the address at X where the person lets ClawFeed in, and take what comes back.

    X sends the browser to BASE_URL; copy the address of that page, and be quick about it: what X
    gives is good for half a minute.

    \b
    Example:
      clawfeed x authorise --user anna@example.org
    """
    from clawfeed.app.processes.event_loop import run_async

    click.echo(run_async(_authorise(load_settings(), email)))


@x.command()
@USER_OPTION
@options.json_object
def status(*, email: str | None, as_json: bool) -> None:
    """Show whether ClawFeed may read this person's X; never a token.

    \b
    Example:
      clawfeed x status --user anna@example.org
    """
    from clawfeed.app.processes.event_loop import run_async
    from clawfeed.cli.terminal.printing import print_json

    shown = run_async(_status(load_settings(), email))
    if as_json:
        print_json(shown)
        return
    sentences = {
        "none": "ClawFeed is not authorised: clawfeed x authorise",
        "active": f"ClawFeed reads X as @{shown['handle']} since {shown['authorised_at']}",
        "auth_required": f"X no longer accepts the authorisation of @{shown['handle']}: "
        "clawfeed x authorise",
    }
    click.echo(sentences[str(shown["status"])])


@x.command()
@USER_OPTION
def revoke(*, email: str | None) -> None:
    """Take the authorisation back, here and at X.

    \b
    Example:
      clawfeed x revoke --user anna@example.org
    """
    from clawfeed.app.processes.event_loop import run_async

    click.echo(run_async(_revoke(load_settings(), email)))


async def _authorise(config: Config, email: str | None) -> str:
    async with _opened(config, email) as (authorising, whose):
        begun = authorising.begin_here(whose.id)
        click.echo(
            f"Open this address in a browser and let ClawFeed in:\n\n{begun.url}\n", err=True
        )
        click.echo("Then paste the address of the page that you are sent to:", err=True)
        # Read with care: a person may paste a novel.
        pasted = sys.stdin.readline(LONGEST_ADDRESS).strip()
        if not pasted:
            raise InvalidInputError("nothing was pasted; nothing was changed")
        granted = await authorising.finish_here(begun, pasted)
        return f"ClawFeed may read X as @{granted.handle} for {whose.email}"


async def _status(config: Config, email: str | None) -> dict[str, object]:
    from clawfeed.api.people.x_authorisation import status_as_json
    from clawfeed.app.wiring.entry_points import existing_database
    from clawfeed.storage.people.x_authorisations import XAuthorisations

    async with existing_database(config) as database:
        whose = await person_meant(database, email)
        return status_as_json(await XAuthorisations(database).find(whose.id))


async def _revoke(config: Config, email: str | None) -> str:
    from clawfeed.auth.client_address import COMMAND_LINE

    async with _opened(config, email) as (authorising, whose):
        done = await authorising.revoke(whose.id, client=str(COMMAND_LINE))
    if done.at_x:
        return f"revoked @{done.handle}, here and at X"
    return f"forgot @{done.handle} here; X did not confirm it: revoke it in X's settings too"


@asynccontextmanager
async def _opened(
    config: Config, email: str | None
) -> AsyncIterator[tuple[XAuthorisationFlow, User]]:
    from clawfeed.app.wiring.entry_points import existing_tools
    from clawfeed.app.wiring.people import x_authorising

    async with existing_tools(config) as (database, tools):
        yield x_authorising(config, database, tools), await person_meant(database, email)
