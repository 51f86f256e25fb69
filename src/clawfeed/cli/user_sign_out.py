"""`clawfeed user sign-out`."""

from __future__ import annotations

import click

from clawfeed.app.settings.config import Config
from clawfeed.cli.person_arguments import person_named
from clawfeed.cli.startup import load_settings
from clawfeed.domain.people.user_names import normal_email


@click.command("sign-out")
@click.argument("email")
def sign_out(*, email: str) -> None:
    """Sign somebody out everywhere: every session ends, every browser is a stranger's again.

    Their API keys stay; `clawfeed apikey revoke` ends those.

    \b
    Example:
      clawfeed user sign-out anna@example.org
    """
    from clawfeed.app.processes.event_loop import run_async

    email = normal_email(email)
    run_async(_sign_out(load_settings(), email))
    click.echo(f"signed {email} out everywhere")


async def _sign_out(config: Config, email: str) -> None:
    from clawfeed.app.wiring.entry_points import existing_database
    from clawfeed.app.wiring.people import signing_in_of
    from clawfeed.auth.client_address import COMMAND_LINE
    from clawfeed.storage.people.users import UserStore

    async with existing_database(config) as database:
        leaving = await person_named(UserStore(database), email)
        await signing_in_of(config, database).logout_everywhere(leaving, COMMAND_LINE)
