"""What a person means by an address, a name or a config on the command line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from clawfeed.domain.errors import InvalidInputError, SourceError
from clawfeed.domain.ids import JsonValue

if TYPE_CHECKING:
    from clawfeed.app.fetching import SourceTools
    from clawfeed.sources.adding import Wanted

# Ends of paths that are feeds more often than pages.
FEED_ENDINGS = (".xml", ".rss", ".atom", ".rdf", "/feed", "/rss", "/atom", "feed.json")


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The words of one command line; *type* and *target* are not both missing."""

    target: str | None
    type: str | None
    config: dict[str, JsonValue] | None = None


def asked_for(target: str | None, kind: str | None, config: str | None) -> Asked:
    """The words taken together, or wrong usage (exit 2)."""
    from clawfeed.sources.adding import read_config

    if config is not None and kind is None:
        raise click.UsageError("--config needs --type, to say what it configures.")
    if not (target or "").strip() and kind is None:
        raise click.UsageError("Give an address, or --type with --config.")
    try:
        settings = None if config is None else read_config(config)
    except InvalidInputError as error:
        raise click.BadParameter(str(error), param_hint="--config") from error
    return Asked(target=target.strip() if target else None, type=kind, config=settings)


async def meaning_of(asked: Asked, tools: SourceTools, *, look: bool) -> Wanted:
    """The source that is meant. Without a type the address is looked at, if we may *look*."""
    if asked.type is not None:
        return _exactly(asked, asked.type, tools)
    target = asked.target or ""
    return await _discovered(target, tools) if look else _guessed(target)


def _exactly(asked: Asked, written_type: str, tools: SourceTools) -> Wanted:
    from clawfeed.sources.adding import Wanted, known_type

    kind = known_type(tools.fetchers, written_type)
    of_target = _target_config(kind, asked.target) if asked.target else {}
    return Wanted(type=kind, config={**of_target, **(asked.config or {})})


def _target_config(kind: str, target: str) -> dict[str, JsonValue]:
    from clawfeed.sources.adding import main_key
    from clawfeed.sources.known_places import known_place

    place = known_place(_with_scheme(target))
    if place and place.type == kind:
        return place.config
    key = main_key(kind)
    if key is None:
        raise InvalidInputError(f"a source of type {kind} takes no address; use --config")
    return {key: _with_scheme(target) if key in {"url", "endpoint"} else target}


async def _discovered(target: str, tools: SourceTools) -> Wanted:
    from clawfeed.domain.source_secrets import mask_url
    from clawfeed.sources.adding import Wanted

    try:
        found = await tools.discoverer.discover(target)
    except SourceError as error:
        raise InvalidInputError(f"{mask_url(target)} cannot be read: {error.detail}") from error
    # An address is no name, and may hold a token.
    name = "" if "://" in found.title else found.title
    return Wanted(type=found.kind, config=found.config, name=name)


def _guessed(target: str) -> Wanted:
    """By spelling alone: known hosts, then what its path ends in."""
    from urllib.parse import urlsplit

    from clawfeed.sources.adding import Wanted
    from clawfeed.sources.known_places import known_place, x_account

    url = _with_scheme(target)
    place = x_account(target) if target.startswith("@") else known_place(url)
    if place:
        return Wanted(type=place.type, config=place.config, name=place.title)
    path = urlsplit(url).path.lower().rstrip("/")
    return Wanted(type="rss" if path.endswith(FEED_ENDINGS) else "website", config={"url": url})


def _with_scheme(target: str) -> str:
    return target if "://" in target else f"https://{target}"
