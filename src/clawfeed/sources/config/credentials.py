"""A user name and a password for a source behind Basic authentication (RFC 7617), and where to.

People paste `https://user:password@host/feed`. An address is shown and written in many places, so
the two are taken out of it into keys of their own, which are secret
(`domain.sources.source_secrets`). They go to the origin of the address they were given with, and to
no other: not where it redirects, not where it moved, not to a feed that a page offers elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import unquote

from clawfeed.domain.errors import EgressError, InvalidInputError, RefusalCode
from clawfeed.domain.ids import JsonValue
from clawfeed.domain.sources.source_secrets import CREDENTIALS, PASSWORD, USERNAME
from clawfeed.egress.basic_auth import basic_auth
from clawfeed.egress.url import parse
from clawfeed.sources.config.checks import check_text

# As a header takes them; a colon would end the name.
_USERNAME = re.compile(r"[^\x00-\x1f\x7f-\x9f\ud800-\udfff:]{1,500}")
_PASSWORD = re.compile(r"[^\x00-\x1f\x7f-\x9f\ud800-\udfff]{1,1000}")
# Up to the last "@" of the authority, as browsers read it.
_IN_ADDRESS = re.compile(r"\A(\s*https?://)([^/?#\\]*)@", re.IGNORECASE)


class PlainAddress(NamedTuple):
    """An address without what stood before its host, and that as keys of a config."""

    url: str
    credentials: dict[str, JsonValue]


def take_apart(url: str) -> PlainAddress:
    """*url* and the user name and password in it, percent-encoding undone; mostly none."""
    found = _IN_ADDRESS.match(url)
    if found is None:
        return PlainAddress(url, {})
    name, _, password = map(unquote, found[2].partition(":"))
    given = {USERNAME: name, PASSWORD: password}
    return PlainAddress(
        f"{found[1]}{url[found.end() :]}", {key: text for key, text in given.items() if text}
    )


def with_credentials_apart(config: Mapping[str, JsonValue], key: str) -> dict[str, JsonValue]:
    """*config* with the address at *key* plain, and the credentials of it in their own keys.

    Raises `InvalidInputError` if it has some there already: nobody could tell which are meant.
    """
    address = config.get(key)
    if not isinstance(address, str):
        return dict(config)
    url, credentials = take_apart(address)
    if credentials and any(config.get(name) for name in CREDENTIALS):
        raise InvalidInputError(
            f"{key} holds a user name or password, and so does the config: give them once.",
            RefusalCode.CREDENTIALS_TWICE,
        )
    return {**config, key: url, **credentials}


def check_credentials(config: Mapping[str, JsonValue]) -> list[str]:
    """What is wrong with the user name and password, one sentence each, without quoting them."""
    problems = [
        *check_text(_hidden(config, USERNAME, _USERNAME), USERNAME, _USERNAME, "text without ':'"),
        *check_text(_hidden(config, PASSWORD, _PASSWORD), PASSWORD, _PASSWORD, "one line of text"),
    ]
    if not problems and config.get(PASSWORD) and not config.get(USERNAME):
        problems.append(f"{PASSWORD} needs a {USERNAME}.")
    return problems


def authorization(config: Mapping[str, JsonValue], key: str, url: str) -> dict[str, str]:
    """The header for asking *url*: none unless it is at the origin of the address at *key*."""
    name, password = config.get(USERNAME) or "", config.get(PASSWORD) or ""
    if not name or not is_same_origin(str(config.get(key) or ""), url):
        return {}
    return basic_auth(str(name), str(password))


def credentials_for(config: Mapping[str, JsonValue], key: str, url: str) -> dict[str, JsonValue]:
    """The user name and password of *config* for a config of *url*'s own, by the same rule."""
    if not is_same_origin(str(config.get(key) or ""), url):
        return {}
    return {name: config[name] for name in CREDENTIALS if config.get(name)}


def is_same_origin(one: str, other: str) -> bool:
    """Whether scheme, host and port are the same; False if one of them is no address."""
    try:
        return parse(one).origin == parse(other).origin
    except EgressError:
        return False


def _hidden(
    config: Mapping[str, JsonValue], key: str, pattern: re.Pattern[str]
) -> dict[str, JsonValue]:
    """The value at *key* for a check whose sentence quotes it: a bad text is not repeated."""
    value = config.get(key)
    is_bad = isinstance(value, str) and value and not pattern.fullmatch(value)
    return {key: "\0" if is_bad else value}
