"""What a provider says about itself: where its doors are, and which keys it signs with.

Everything here was written by somebody else and is believed only as far as it was checked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import orjson
from joserfc.errors import JoseError
from joserfc.jwk import ECKey, RSAKey

from clawfeed.auth.oidc.errors import unproven
from clawfeed.auth.oidc.provider import Provider
from clawfeed.domain.errors import EgressError

# Honest sets hold two to five keys. More are read no further: each costs time to look at.
MOST_KEYS = 50
# RSA from 2048 to 8192 bits, as base64: shorter is weak, longer costs seconds to verify.
_MODULUS = range(342, 1367)
_LONGEST_EXPONENT = 8
_LONGEST_KID = 512

SigningKey = RSAKey | ECKey


@dataclass(frozen=True, slots=True, kw_only=True)
class Metadata:
    """A provider's doors, each checked. *names_itself*: it says `iss` at our door (RFC 9207)."""

    authorization_endpoint: str
    token_endpoint: str
    jwks_uri: str
    names_itself: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedKey:
    """A key a provider may sign with, by one algorithm only."""

    kid: str | None
    algorithm: str
    key: SigningKey


def read_json(body: bytes) -> Mapping[str, object]:
    """The JSON object in *body*; refuses anything else."""
    try:
        document = orjson.loads(body)
    except orjson.JSONDecodeError:
        raise unproven("the provider's answer is no JSON") from None
    if not isinstance(document, dict):
        raise unproven("the provider's answer is no JSON object")
    return document


def read_metadata(
    provider: Provider, document: Mapping[str, object], check_url: Callable[[str], str]
) -> Metadata:
    """The doors in a discovery document; refuses it if it is another issuer's or unsafe.

    *check_url* is the egress guard's. https all the way, unless the operator chose http.
    """
    if document.get("issuer") != provider.issuer:
        raise unproven("the discovery document is of another issuer")

    def door(name: str) -> str:
        return _door(document.get(name), provider, check_url)

    return Metadata(
        authorization_endpoint=door("authorization_endpoint"),
        token_endpoint=door("token_endpoint"),
        jwks_uri=door("jwks_uri"),
        names_itself=document.get("authorization_response_iss_parameter_supported") is True,
    )


def read_keys(document: Mapping[str, object]) -> tuple[PublishedKey, ...]:
    """The signing keys we can use; others, damaged ones among them, are left out."""
    listed = document.get("keys")
    if not isinstance(listed, list) or len(listed) > MOST_KEYS:
        raise unproven("the provider's keys are no list, or too many")
    keys = (_read_key(each) for each in listed if isinstance(each, dict))
    return tuple(key for key in keys if key is not None)


def _door(url: object, provider: Provider, check_url: Callable[[str], str]) -> str:
    if not isinstance(url, str) or "#" in url:
        raise unproven("the discovery document lacks an endpoint")
    try:
        checked = check_url(url)
    except EgressError:
        raise unproven("an endpoint of the provider is not allowed") from None
    if provider.issuer.startswith("https://") and not checked.startswith("https://"):
        raise unproven("an endpoint of the provider is not https")
    return checked


def _read_key(jwk: dict[str, object]) -> PublishedKey | None:
    kid, kind = jwk.get("kid"), jwk.get("kty")
    if jwk.get("use", "sig") != "sig" or not (kid is None or _is_short(kid, _LONGEST_KID)):
        return None
    try:
        if kind == "RSA" and _is_sound_rsa(jwk):
            return _published(jwk, "RS256", RSAKey.import_key(_only(jwk, "kty", "n", "e")))
        if kind == "EC" and jwk.get("crv") == "P-256":
            return _published(jwk, "ES256", ECKey.import_key(_only(jwk, "kty", "crv", "x", "y")))
    except (JoseError, ValueError, TypeError, KeyError, OverflowError):
        return None
    return None


def _published(jwk: Mapping[str, object], algorithm: str, key: SigningKey) -> PublishedKey | None:
    if jwk.get("alg", algorithm) != algorithm:
        return None
    kid = jwk.get("kid")
    return PublishedKey(kid=str(kid) if kid is not None else None, algorithm=algorithm, key=key)


def _only(jwk: Mapping[str, object], *names: str) -> dict[str, str | list[str]]:
    """The public numbers alone: what else a stranger wrote there is not the library's to read."""
    return {name: str(jwk[name]) for name in names}


def _is_sound_rsa(jwk: Mapping[str, object]) -> bool:
    modulus = jwk.get("n")
    has_size = isinstance(modulus, str) and len(modulus) in _MODULUS
    return has_size and _is_short(jwk.get("e"), _LONGEST_EXPONENT)


def _is_short(text: object, longest: int) -> bool:
    return isinstance(text, str) and 0 < len(text) <= longest
