"""`clawfeed user`: who has an account."""

from __future__ import annotations

import sys

import click

from clawfeed.app.settings.config import Config
from clawfeed.cli.command_group import CommandGroup
from clawfeed.cli.person_arguments import person_named
from clawfeed.cli.startup import load_settings
from clawfeed.cli.terminal import options
from clawfeed.cli.user_sign_out import sign_out
from clawfeed.domain.errors import InvalidInputError
from clawfeed.domain.people.passwords import LONGEST_PASSWORD, require_strength
from clawfeed.domain.people.user_names import normal_email, normal_name
from clawfeed.domain.people.users import Role, User


@click.group(cls=CommandGroup)
def user() -> None:
    """Add, list, disable and enable people.

    \b
    Example:
      clawfeed user add anna@example.org --admin
      clawfeed user add ben@example.org --link
      clawfeed user list
    """


user.add_command(sign_out)


@user.command()
@click.argument("email")
@click.option("--name", help="Their name; the part before the @ if not given.")
@click.option("--admin", "is_admin", is_flag=True, help="They may administer this ClawFeed.")
@click.option("--password-stdin", "from_stdin", is_flag=True, help="Read the password from stdin.")
@click.option("--link", "as_link", is_flag=True, help="Print a one-time link instead of asking.")
def add(*, email: str, name: str | None, is_admin: bool, from_stdin: bool, as_link: bool) -> None:
    """Add a person; for one who is there already, --link makes a new one-time link.

    \b
    Example:
      clawfeed user add anna@example.org --admin
      clawfeed user add ben@example.org --link
      pass show clawfeed | clawfeed user add anna@example.org --password-stdin
    """
    from clawfeed.app.processes.event_loop import run_async

    if from_stdin and as_link:
        raise click.UsageError("Give --password-stdin or --link, not both.")
    email = normal_email(email)
    name = normal_name(name or email.partition("@")[0])
    role = Role.ADMIN if is_admin else Role.USER
    config = load_settings()
    if as_link:
        click.echo(run_async(_add_with_link(config, email, name, role)))
        return
    password = _password(from_stdin=from_stdin)
    require_strength(password, email=email)
    added = run_async(_add(config, email, name, role, password))
    click.echo(f"added {added.role} {added.id} {added.email}")


@user.command("list")
@options.json_object
def list_users(*, as_json: bool) -> None:
    """List everybody with an account.

    \b
    Example:
      clawfeed user list
    """
    from clawfeed.app.processes.event_loop import run_async

    run_async(_list(load_settings(), as_json=as_json))


@user.command()
@click.argument("email")
def disable(*, email: str) -> None:
    """Let somebody in no more: their sessions end at once, their keys stop working.

    \b
    Example:
      clawfeed user disable ben@example.org
    """
    from clawfeed.app.processes.event_loop import run_async

    disabled = run_async(_switch(load_settings(), normal_email(email), is_disabled=True))
    click.echo(f"disabled {disabled.email}")


@user.command()
@click.argument("email")
def enable(*, email: str) -> None:
    """Let somebody in again; their password and keys are those they had.

    \b
    Example:
      clawfeed user enable ben@example.org
    """
    from clawfeed.app.processes.event_loop import run_async

    enabled = run_async(_switch(load_settings(), normal_email(email), is_disabled=False))
    click.echo(f"enabled {enabled.email}")


def _password(*, from_stdin: bool) -> str:
    if from_stdin:
        # One more than the longest, and its line break: what is longer is refused, not cut.
        given = sys.stdin.buffer.read(LONGEST_PASSWORD + 3)
        try:
            return given.decode("utf-8").removesuffix("\n").removesuffix("\r")
        except UnicodeDecodeError:
            raise InvalidInputError("the password on stdin is not UTF-8") from None
    if not sys.stdin.isatty():
        raise click.UsageError(
            "There is no terminal to ask for a password: give --password-stdin or --link."
        )
    prompted: str = click.prompt("Password", hide_input=True, confirmation_prompt=True, err=True)
    return prompted


async def _add(config: Config, email: str, name: str, role: Role, password: str) -> User:
    from clawfeed.app.clock import system_clock
    from clawfeed.app.wiring.entry_points import opened_database
    from clawfeed.auth.password_hashing import Passwords
    from clawfeed.storage.people.users import NewUser, UserStore

    hashed = Passwords().hash_now(password)
    async with opened_database(config) as database:
        new = NewUser(email=email, name=name, role=role, password_hash=hashed)
        return await UserStore(database).add(new, now=system_clock())


async def _add_with_link(config: Config, email: str, name: str, role: Role) -> str:
    from clawfeed.app.clock import system_clock
    from clawfeed.app.wiring.entry_points import opened_database
    from clawfeed.app.wiring.people import signing_in_of
    from clawfeed.storage.people.users import NewUser, UserStore

    async with opened_database(config) as database:
        people, now = UserStore(database), system_clock()
        known = await people.find(email)
        new = NewUser(email=email, name=name, role=role)
        whose = known.user if known else await people.add(new, now=now)
        return await signing_in_of(config, database).link_for(whose)


async def _list(config: Config, *, as_json: bool) -> None:
    from clawfeed.app.wiring.entry_points import existing_database
    from clawfeed.cli.terminal.printing import print_json
    from clawfeed.cli.terminal.tables import table
    from clawfeed.cli.terminal.times import local
    from clawfeed.domain.moments import iso
    from clawfeed.storage.people.users import UserStore

    async with existing_database(config) as database:
        accounts = await UserStore(database).list()
    if as_json:
        people = [
            {
                "id": each.user.id,
                "email": each.user.email,
                "name": each.user.name,
                "role": str(each.user.role),
                "is_disabled": each.user.is_disabled,
                "has_password": each.password_hash is not None,
                "created_at": iso(each.created_at),
            }
            for each in accounts
        ]
        print_json({"users": people})
        return
    rows = [
        (
            str(each.user.id),
            each.user.email,
            each.user.name,
            "disabled" if each.user.is_disabled else str(each.user.role),
            local(each.created_at, config.timezone),
        )
        for each in accounts
    ]
    head = ("ID", "EMAIL", "NAME", "ROLE", "SINCE")
    click.echo(table(head, rows, shrink=("NAME", "EMAIL")) if rows else "nobody has an account yet")


async def _switch(config: Config, email: str, *, is_disabled: bool) -> User:
    from clawfeed.app.clock import system_clock
    from clawfeed.app.wiring.entry_points import existing_database
    from clawfeed.storage.people.users import UserStore

    async with existing_database(config) as database:
        people = UserStore(database)
        account = await person_named(people, email)
        return await people.change(account.id, is_disabled=is_disabled, now=system_clock())
