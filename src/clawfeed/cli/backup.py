"""`clawfeed backup` and `clawfeed restore`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from clawfeed.app.settings.config import Config
from clawfeed.cli.startup import load_settings
from clawfeed.cli.terminal import options
from clawfeed.domain.errors import InvalidInputError

if TYPE_CHECKING:
    from clawfeed.storage.drivers.sqlite_backup import Backup

FILE = click.Path(dir_okay=False, path_type=Path)


@click.command()
@click.argument("file", type=FILE)
@options.json_object
def backup(*, file: Path, as_json: bool) -> None:
    """Copy the database into a new FILE, also while ClawFeed runs, and check the copy.

    Nothing is ever overwritten. Only you may read the copy: it holds everybody's secrets.

    \b
    Example:
      clawfeed backup clawfeed-$(date +%F).db
    """
    from clawfeed.storage.drivers.sqlite_backup import back_up

    database = _sqlite_file(load_settings(), "pg_dump --format=custom makes a backup of it")
    _tell("backed up", back_up(database, file), as_json=as_json)
    _tell_of_key(database)


@click.command()
@click.argument("file", type=FILE)
@options.json_object
def restore(*, file: Path, as_json: bool) -> None:
    """Put the backup in FILE where the database belongs, and check it.

    Stop ClawFeed and move the old database away first: nothing is ever overwritten.

    \b
    Example:
      clawfeed restore clawfeed-2026-11-18.db
    """
    from clawfeed.storage.drivers.sqlite_backup import restore as put_back

    database = _sqlite_file(load_settings(), "pg_restore into an empty database restores it")
    _tell("restored", put_back(file, database), as_json=as_json)


def _tell_of_key(database: Path) -> None:
    """The copy is of little use for channels without what opens their secrets."""
    from clawfeed.cli.terminal.width import folded
    from clawfeed.publish.secrets.secret_key import key_file_of

    key = key_file_of(database)
    if key.exists():
        sentence = f"keep a copy of {key}, too: the secrets of channels open with it alone"
        click.echo(folded(sentence, err=True), err=True)


def _sqlite_file(config: Config, otherwise: str) -> Path:
    path = config.storage.sqlite_path
    if path is None:
        raise InvalidInputError(
            f"this database is PostgreSQL's: {otherwise} (docs/operating.md, Backup)"
        )
    return path


def _tell(what: str, done: Backup, *, as_json: bool) -> None:
    if as_json:
        from dataclasses import asdict

        from clawfeed.cli.terminal.printing import print_json

        print_json({**asdict(done), "path": str(done.path)})
        return
    from clawfeed.cli.terminal.plurals import counted

    held = f"{counted(done.sources, 'source')}, {counted(done.items, 'item')}"
    click.echo(f"{what} {done.path}: {held}, {done.size / 1e6:.1f} MB, checked")
