"""Whether an id_token is what it says: ours, fresh, for this very sign-in, signed by its issuer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from joserfc import jws, jwt
from joserfc.errors import JoseError

from clawfeed.auth.oidc.errors import unproven
from clawfeed.auth.oidc.metadata import PublishedKey
from clawfeed.auth.oidc.provider import Provider
from clawfeed.auth.tokens import hash_of, is_same

# No HS256: a public key is no shared secret. No `none`.
ALGORITHMS = ("RS256", "ES256")
SKEW = timedelta(seconds=60)
# OpenID Connect Core, section 2: a subject is at most 255 ASCII characters.
LONGEST_SUBJECT = 255
LONGEST_TOKEN = 20_000
# Some providers add header fields of their own; `crit` is still obeyed.
_REGISTRY = jws.JWSRegistry(algorithms=ALGORITHMS, strict_check_header=False)
# What the library raises for nonsense: its own errors, and those of the decoders beneath it.
_NONSENSE = (JoseError, ValueError, TypeError, KeyError, RecursionError)


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """Somebody, as a provider knows them. *email* is None unless the provider verified it."""

    issuer: str
    subject: str
    email: str | None = field(default=None, repr=False)
    name: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenHeader:
    """Which key a token claims to be signed with."""

    kid: str | None
    algorithm: str


def read_header(token: str) -> TokenHeader:
    """The header of *token*, not yet believed; refuses algorithms we never accept."""
    if len(token) > LONGEST_TOKEN:
        raise unproven("the token is too long")
    try:
        header = jws.extract_compact(token.encode(), registry=_REGISTRY).headers()
    except _NONSENSE:
        raise unproven("the token is no signed token") from None
    kid, algorithm = header.get("kid"), header.get("alg")
    if algorithm not in ALGORITHMS or not isinstance(kid, str | None):
        raise unproven("the token is signed in a way we do not accept")
    return TokenHeader(kid=kid, algorithm=algorithm)


def verify(
    token: str, published: PublishedKey, provider: Provider, *, nonce_hash: bytes, now: datetime
) -> Identity:
    """Whom *token* speaks of, or `OidcRefusedError`."""
    try:
        # The key's algorithm, not the token's: the token does not choose how it is checked.
        claims = jwt.decode(
            token, published.key, algorithms=[published.algorithm], registry=_REGISTRY
        ).claims
        _rules(provider, now).validate(claims)
    except _NONSENSE:
        raise unproven("the token's signature or claims are wrong") from None
    _check_audience(claims, provider)
    nonce = claims.get("nonce")
    if not isinstance(nonce, str) or not is_same(hash_of(nonce), nonce_hash):
        raise unproven("the token belongs to another sign-in")
    return _identity(claims)


def _rules(provider: Provider, now: datetime) -> jwt.JWTClaimsRegistry:
    return jwt.JWTClaimsRegistry(
        now=int(now.timestamp()),
        leeway=int(SKEW.total_seconds()),
        iss={"essential": True, "value": provider.issuer},
        aud={"essential": True, "value": provider.client_id},
        sub={"essential": True},
        exp={"essential": True},
        iat={"essential": True},
    )


def _check_audience(claims: Mapping[str, object], provider: Provider) -> None:
    """`azp` is us where it is said, and it must be said where there are others (Core, 3.1.3.7)."""
    audience, party = claims["aud"], claims.get("azp")
    is_shared = isinstance(audience, list) and len(audience) > 1
    if (is_shared or party is not None) and party != provider.client_id:
        raise unproven("the token is for somebody else")


def _identity(claims: Mapping[str, object]) -> Identity:
    subject, email, name = str(claims["sub"]), claims.get("email"), claims.get("name")
    if len(subject) > LONGEST_SUBJECT or not subject.isprintable():
        raise unproven("the token's subject is no subject")
    # Exactly true: the text "true" or a 1 is somebody's mistake, and mistakes open no accounts.
    is_verified = claims.get("email_verified") is True
    return Identity(
        issuer=str(claims["iss"]),
        subject=subject,
        email=email if is_verified and isinstance(email, str) else None,
        name=name if isinstance(name, str) else None,
    )
