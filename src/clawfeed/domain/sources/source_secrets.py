"""What of a source's config nobody else may see (T17): headers, passwords, tokens in addresses.

Its config must hold them to work; lists, logs and exports must not.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import unquote

from clawfeed.domain.errors import InvalidInputError, RefusalCode
from clawfeed.domain.ids import JsonValue
from clawfeed.domain.secret import MASK

# Every value under this key is one: Authorization, Cookie, and keys under names of their own.
HEADERS = "headers"
# Where each field stands in somebody's JSON: a field may be called "key" and is no secret.
FIELDS = "fields"
# For Basic authentication. The name is hidden too: many services take a token as the name.
USERNAME = "username"
PASSWORD = "password"  # noqa: S105 -- a key of a config
CREDENTIALS = (PASSWORD, USERNAME)

_SECRET_WORDS = frozenset(
    {
        "auth", "authorization", "cookie", "credential", "credentials", "jwt", "key", "pass",
        "passwd", "password", "pwd", "secret", "session", "sid", "sig", "signature", "token"
    }
)  # fmt: skip
_SECRET_ENDINGS = ("token", "secret", "password", "passwd", "apikey", "accesskey", "authkey")
_WORDS = re.compile(r"[a-z0-9]+|[A-Z][a-z0-9]*")
# Texts that are secrets under any name: known prefixes, JSON Web Tokens.
_MARKED = re.compile(
    r"(?:gh[opsur]_|github_pat_|sk-|xox[abeprs]-|cf_)[\w-]{8,}|eyJ[\w-]{8,}\.[\w-]{8,}.*"
)
# Letters and digits without a break; with "-" only in mixed case, or every slug would be one.
_RANDOM = re.compile(
    r"(?=\d*[A-Za-z])(?=\D*\d)[\w+/=]{32,}|(?=[^a-z]*[a-z])(?=[^A-Z]*[A-Z])(?=\D*\d)[\w+/=-]{32,}"
)
_PARAMETER = re.compile(r"(?<=[?&;])([^=&;#]{1,100})=([^&;#]*)")
# As browsers end it, and whoever takes it apart: people's passwords have spaces in them.
_USER = re.compile(r"(?<=://)[^/?#\\]*@")


def is_secret_name(name: str) -> bool:
    """Whether a field or query parameter of this name holds a secret whatever it looks like."""
    words = {word.lower() for word in _WORDS.findall(name)}
    return bool(words & _SECRET_WORDS) or name.lower().endswith(_SECRET_ENDINGS)


def mask_url(url: str) -> str:
    """*url* with its user, password and the query values that look like tokens as `***`."""
    return _PARAMETER.sub(_masked_parameter, _USER.sub(f"{MASK}@", url))


def mask_config(config: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """*config* as it may be shown: the same keys, secrets as `***`."""
    return {key: _masked(key, value) for key, value in config.items()}


def public_part(config: Mapping[str, JsonValue]) -> dict[str, JsonValue] | None:
    """*config* without its headers and other secrets, to be given away.

    None if nothing useful would be left: an address that itself holds a secret.
    """
    rest = {
        key: value
        for key, value in config.items()
        if not value or not (key.lower() == HEADERS or _is_secret_key(key))
    }
    return rest if mask_config(rest) == rest else None


def _is_secret_key(key: str) -> bool:
    """Of a config: of an address's query, a user's name is none (`?username=`)."""
    return key == USERNAME or is_secret_name(key)


def holds_secret(config: Mapping[str, JsonValue]) -> bool:
    """Whether something in *config* is nobody else's business: such a source is never public."""
    has_headers = any(key.lower() == HEADERS and value for key, value in config.items())
    return has_headers or mask_config(config) != config


def require_no_secret(config: Mapping[str, JsonValue], *, way_out: str) -> None:
    """Raise if a source with this *config* cannot be public (T18): the same at every entrance."""
    if holds_secret(config):
        raise InvalidInputError(
            f"its config holds headers or a token, so it cannot be public: {way_out}",
            RefusalCode.SOURCE_SECRET,
        )


def _masked(key: str, value: JsonValue) -> JsonValue:
    match value:
        case dict(inner) if key.lower() == HEADERS:
            return dict.fromkeys(inner, MASK)
        case dict(inner) if key == FIELDS:
            return {name: _masked("", inner[name]) for name in inner}
        case dict(inner):
            return {name: _masked(name, inner[name]) for name in inner}
        case list(inner):
            return [_masked(key, each) for each in inner]
        case str(text):
            is_hidden = _is_secret_key(key) or key.lower() == HEADERS or _MARKED.fullmatch(text)
            return MASK if is_hidden else mask_url(text)
        case _:
            return MASK if value is not None and _is_secret_key(key) else value


def _masked_parameter(found: re.Match[str]) -> str:
    name, value = found[1], found[2]
    return f"{name}={MASK}" if value and _is_secret(unquote(name), unquote(value)) else found[0]


def _is_secret(name: str, value: str) -> bool:
    if is_secret_name(name) or _MARKED.fullmatch(value):
        return True
    # `channel_id=UC…`, `playlist_id=…`: random, and meant to be known.
    return not name.lower().endswith("id") and bool(_RANDOM.fullmatch(value))
