"""`clawfeed source add`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import click

from clawfeed.app.settings.config import Config
from clawfeed.cli.source.arguments import SourceArguments, asked_for
from clawfeed.cli.startup import load_settings
from clawfeed.cli.terminal import options
from clawfeed.cli.terminal.number_arguments import WholeNumber
from clawfeed.domain.people.user_names import normal_email
from clawfeed.domain.schedule.interval import LONGEST_MINUTES
from clawfeed.domain.sources.type_facts import OWN_INTERVAL

if TYPE_CHECKING:
    from clawfeed.app.wiring.fetching import SourceTools
    from clawfeed.domain.sources.source import Source
    from clawfeed.storage.database import Database
    from clawfeed.storage.sources.sources import NewSource

# The quota is for guests, not for the host.
NO_QUOTA = 2**31


@dataclass(frozen=True, slots=True, kw_only=True)
class _AddOptions:
    """What was said besides which source it is."""

    name: str
    interval: int | None
    is_public: bool
    owner: str | None  # an e-mail address; None leaves it to the rule
    poll: bool


@click.command()
@click.argument("target", required=False, metavar="[URL_OR_TARGET]")
@click.option("--type", "kind", help="Add exactly this type, without polling the address.")
@click.option(
    "--name", default="", help="Its name; default: its title, or (--type, --no-check) its host."
)
@click.option("--config", help="Its settings as a JSON object (with --type).")
@click.option("--private", is_flag=True, help="For one person alone: --user, or the first admin.")
@click.option("--user", "owner", metavar="EMAIL", help="Whose private source it is.")
@click.option("--no-check", is_flag=True, help="Add it without polling it first.")
@click.option("--interval", type=WholeNumber(1, LONGEST_MINUTES), help="Minutes between two polls.")
@options.json_object
def add(
    *,
    target: str | None,
    kind: str | None,
    name: str,
    config: str | None,
    private: bool,
    owner: str | None,
    no_check: bool,
    interval: int | None,
    as_json: bool,
) -> None:
    """Follow something.

    An address alone is polled: it may be a feed, a website, a subreddit, Hacker News, GitHub
    Trending or an account on X. What is followed already is not added twice. What holds a
    password or a token can only be private.

    \b
    Example:
      clawfeed source add https://example.org/blog
      clawfeed source add "https://example.org/feed?token=..." --private
      clawfeed source add @example
      clawfeed source add r/python --interval 30
      clawfeed source add hackernews
      clawfeed source add --type hackernews --config '{"min_score": 100}'
    """
    from clawfeed.app.processes.event_loop import run_async
    from clawfeed.cli.source.source_label import label
    from clawfeed.cli.terminal.printing import print_json, warn
    from clawfeed.cli.terminal.width import folded
    from clawfeed.domain.sources.source_secrets import mask_config

    asked = asked_for(target, kind, config)
    options = _AddOptions(
        name=name,
        interval=interval,
        is_public=not (private or owner),
        owner=normal_email(owner) if owner else None,
        poll=not no_check,
    )
    settings = load_settings()
    source, reader, warnings = run_async(_add(settings, asked, options))
    for warning in warnings:
        warn(warning)
    if as_json:
        rest = {"config": mask_config(source.config), "is_public": source.is_public}
        head = {"id": source.id, "type": source.type, "name": source.name}
        print_json({**head, **rest, "subscribed": reader, "warnings": warnings})
    else:
        shown = label(settings.types, source.type, source.name, source.config)
        followed = f" ({reader} follows it)" if reader else ""
        click.echo(folded(f"added source {source.id}: {shown}{followed}"))


async def _add(
    config: Config, asked: SourceArguments, options: _AddOptions
) -> tuple[Source, str | None, list[str]]:
    """The stored source, who follows it now, and a sentence for each oddity (S001-17)."""
    from clawfeed.app.wiring.entry_points import opened_tools
    from clawfeed.cli.source.arguments import meaning_of, refuse_blocked
    from clawfeed.cli.source.owner import PRIVATE_PLEASE, owner_of
    from clawfeed.domain.sources.source_faults import Lookalikes, faults_of
    from clawfeed.domain.sources.source_secrets import require_no_secret
    from clawfeed.sources.discovery.new_source import prepare, refuse_repeated
    from clawfeed.storage.sources.sources import SourceStore

    async with opened_tools(config) as (database, tools):
        meant = await meaning_of(asked, tools, poll=options.poll)
        own = {} if options.interval is None else {OWN_INTERVAL: options.interval}
        meant = replace(
            meant,
            config={**meant.config, **own},
            name=options.name or meant.name,
            is_public=options.is_public,
        )
        new = prepare(tools.fetchers, meant)
        if options.is_public:
            require_no_secret(new.config, way_out=PRIVATE_PLEASE)
        refuse_blocked(new, tools)
        facts = tools.types.facts(new.type)
        new = replace(new, created_by=await owner_of(new, facts, database, options.owner))
        others = Lookalikes(tools.types, await SourceStore(database).list())
        refuse_repeated(new, others)
        source = await _stored(new, database, tools)
        faults = faults_of(source, tools.types.facts(source.type), others)
        warnings = [f"this source {fault.text}" for fault in faults]
        if tools.fetchers.get(source.type) is None:
            warnings.append(f"it will wait: {tools.fetchers.why_absent(source.type)}")
        return source, await _follower(source, database), warnings


async def _follower(source: Source, database: Database) -> str | None:
    """Who follows it from now on: its owner, who does by adding it, or the operator."""
    from clawfeed.app.admin_subscriptions import follow_as_admin
    from clawfeed.app.clock import system_clock
    from clawfeed.storage.people.users import UserStore

    if source.created_by is None:
        return await follow_as_admin(database, source, now=system_clock())
    return (await UserStore(database).get(source.created_by)).user.email


async def _stored(new: NewSource, database: Database, tools: SourceTools) -> Source:
    """As the API stores it where somebody owns it, so that the same follows from it."""
    from clawfeed.app.clock import system_clock
    from clawfeed.storage.source_changes.source_changes import SourceChanges, stored_row
    from clawfeed.storage.sources.sources import SourceStore

    store, owner = SourceStore(database), new.created_by
    if owner is None:
        return await store.add(new, now=system_clock())
    changes = SourceChanges(database, tools.types)
    result = await changes.add(new, owner, most=NO_QUOTA, now=system_clock())
    return await store.get(stored_row(result).id)
