"""What a person means by an address, a name or a config on the command line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from clawfeed.domain.errors import EgressError, InvalidInputError, SourceError, WorldError
from clawfeed.domain.ids import JsonValue

if TYPE_CHECKING:
    from collections.abc import Mapping

    from clawfeed.app.wiring.fetching import SourceTools
    from clawfeed.domain.sources.type_facts import TypeFacts
    from clawfeed.sources.discovery.new_source import SourceRequest
    from clawfeed.storage.sources.sources import NewSource

# Ends of paths that are feeds more often than pages.
FEED_ENDINGS = (".xml", ".rss", ".atom", ".rdf", "/feed", "/rss", "/atom", "feed.json")


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceArguments:
    """The words of one command line; *type* and *target* are not both missing."""

    target: str | None
    type: str | None
    config: dict[str, JsonValue] | None = None


class UnreadAddressError(InvalidInputError):
    """An address that was polled in vain; *why* is what the poll came to."""

    def __init__(self, sentence: str, why: SourceError) -> None:
        super().__init__(sentence)
        self.why = why


def asked_for(target: str | None, kind: str | None, config: str | None) -> SourceArguments:
    """The words taken together, or wrong usage (exit 2)."""
    from clawfeed.sources.discovery.new_source import read_config

    if config is not None and kind is None:
        raise click.UsageError("--config needs --type, to say what it configures.")
    if not (target or "").strip() and kind is None:
        raise click.UsageError("Give an address, or --type with --config.")
    try:
        settings = None if config is None else read_config(config)
    except InvalidInputError as error:
        raise click.BadParameter(str(error), param_hint="--config") from error
    return SourceArguments(target=target.strip() if target else None, type=kind, config=settings)


async def meaning_of(asked: SourceArguments, tools: SourceTools, *, poll: bool) -> SourceRequest:
    """The source that is meant. Without a type the address is polled, if we may *poll*."""
    if asked.type is not None:
        return _exactly(asked, asked.type, tools)
    target = asked.target or ""
    if target in tools.types:  # "hackernews" is no host that anybody means
        return _exactly(SourceArguments(target=None, type=target), target, tools)
    return await _discovered(target, tools) if poll else _guessed(target, tools)


def _exactly(asked: SourceArguments, written_type: str, tools: SourceTools) -> SourceRequest:
    from clawfeed.sources.discovery.new_source import SourceRequest, known_type

    facts = known_type(tools.fetchers, written_type)
    of_target = _target_config(facts, asked.target, tools) if asked.target else {}
    config = asked.config or {}
    _refuse_two_meanings(facts, of_target, config)
    return SourceRequest(type=facts.name, config={**of_target, **config})


def _refuse_two_meanings(
    facts: TypeFacts, of_target: Mapping[str, JsonValue], config: Mapping[str, JsonValue]
) -> None:
    """Wrong usage if the target and --config contradict each other: one would be dropped."""
    from clawfeed.sources.discovery.new_source import plain_config

    said, also = plain_config(facts, of_target), plain_config(facts, config)
    for key in said.keys() & also.keys():
        # An address says "hot" by saying nothing; only its main word was certainly meant.
        is_meant = key == facts.main_key or said[key] != facts.defaults.get(key)
        if is_meant and said[key] != also[key]:
            raise click.UsageError(f"The target and --config differ in {key}: give it once.")


def _target_config(facts: TypeFacts, target: str, tools: SourceTools) -> dict[str, JsonValue]:
    from clawfeed.sources.discovery.known_sites import known_place

    place = known_place(tools.types, target)
    if place and place.type == facts.name:
        return place.config
    if facts.main_key is None:
        raise InvalidInputError(f"a source of type {facts.name} takes no address; use --config")
    return {facts.main_key: _with_scheme(target) if facts.is_addressed else target}


async def _discovered(target: str, tools: SourceTools) -> SourceRequest:
    from clawfeed.domain.sources.source_secrets import mask_url
    from clawfeed.sources.discovery.new_source import SourceRequest

    try:
        found = await tools.discoverer.discover(target)
    except SourceError as error:
        sentence = f"{mask_url(target)} cannot be read: {error.detail}"
        hint = way_out(error, _with_scheme(target))
        raise UnreadAddressError(f"{sentence} {hint}".rstrip(), error) from error
    # An address is no name, and may hold a token.
    name = "" if "://" in found.title else found.title
    return SourceRequest(type=found.kind, config=found.config, name=name)


def _guessed(target: str, tools: SourceTools) -> SourceRequest:
    """By spelling alone: known hosts, then what its path ends in."""
    from urllib.parse import urlsplit

    from clawfeed.domain.sources.source_secrets import mask_url
    from clawfeed.sources.discovery.known_sites import recognise
    from clawfeed.sources.discovery.new_source import SourceRequest
    from clawfeed.sources.source_types.feed import RSS
    from clawfeed.sources.source_types.website import WEBSITE

    try:
        place = recognise(tools.types, target)
    except InvalidInputError as error:
        raise InvalidInputError(f"{mask_url(target)} cannot be added: {error}") from error
    if place:
        return SourceRequest(type=place.type, config=place.config, name=place.title)
    url = _with_scheme(target)
    try:
        is_feed = urlsplit(url).path.lower().rstrip("/").endswith(FEED_ENDINGS)
    except ValueError:  # half an IPv6 address
        raise InvalidInputError(f"{mask_url(target)} is not a valid URL") from None
    return SourceRequest(type=(RSS if is_feed else WEBSITE).name, config={"url": url})


def _with_scheme(target: str) -> str:
    return target if "://" in target else f"https://{target}"


def refuse_blocked(new: NewSource, tools: SourceTools) -> None:
    """Refuse now what the guard would refuse at every poll (T8); asks no DNS.

    Raises `InvalidInputError`, with the way out.
    """
    place = place_of(new.type, new.config, tools)
    if not place:
        return
    try:
        tools.egress.guard.check_url(place)
    except EgressError as error:
        raise InvalidInputError(f"{error.detail} {way_out(error, place)}".rstrip()) from error


def place_of(source_type: str, config: Mapping[str, JsonValue], tools: SourceTools) -> str:
    """The address that a poll would ask; "" if there is none."""
    fetcher = tools.fetchers.get(source_type)
    return fetcher.place(config) if fetcher else ""


def way_out(error: WorldError, place: str) -> str:
    """The setting that would let *place* through our own guard; "" if it did not say no to that.

    For the operator alone: others learn only that it is refused.
    """
    from clawfeed.egress.url import parse

    if error.refused is None:
        return ""
    try:
        target = parse(place)
    except EgressError:
        return ""  # a plug-in's place need not be an address
    # A redirect may have led elsewhere: a stranger must not choose what the operator allows.
    if error.refused != (target.host.rstrip("."), target.port):
        return ""
    host = f"[{target.host}]" if ":" in target.host else target.host
    return f"EGRESS_ALLOW={host}:{target.port} would allow it."
