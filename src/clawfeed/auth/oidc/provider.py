"""The identity providers people may sign in with, as the operator set them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from clawfeed.domain.errors import ConfigError
from clawfeed.domain.secret import Secret

GOOGLE_ISSUER = "https://accounts.google.com"
# They stand in the redirect URIs that were registered with the provider: never rename them.
GOOGLE_SLUG, OTHER_SLUG = "google", "sso"
# OpenID Connect Discovery 1.0, section 3: no query, no fragment. A last slash is part of it.
_ISSUER = re.compile(r"https?://[^\s/?#@]+(?:/[^\s?#]*)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider:
    """One provider. *slug* is its name in addresses, *name* its name for people.

    Without a *client_secret* we are a public client, and PKCE alone protects the code.
    """

    slug: str
    name: str
    issuer: str
    client_id: str
    client_secret: Secret | None = None

    def redirect_uri(self, base_url: str) -> str:
        """Where it sends people back to: made from the configuration, never from a request."""
        return f"{base_url.rstrip('/')}/auth/oidc/{self.slug}/callback"


def providers(
    *,
    google_client_id: str | None = None,
    google_client_secret: Secret | None = None,
    issuer: str | None = None,
    name: str = "Single sign-on",
    client_id: str | None = None,
    client_secret: Secret | None = None,
) -> tuple[Provider, ...]:
    """Those that are set, Google first; `ConfigError` with a sentence for each half-set one."""
    problems = [
        *_google_problems(google_client_id, google_client_secret),
        *_other_problems(issuer, client_id, client_secret),
    ]
    if problems:
        raise ConfigError(*problems)
    google = google_client_id and Provider(
        slug=GOOGLE_SLUG,
        name="Google",
        issuer=GOOGLE_ISSUER,
        client_id=google_client_id,
        client_secret=google_client_secret,
    )
    other = (
        issuer
        and client_id
        and Provider(
            slug=OTHER_SLUG,
            name=name,
            issuer=issuer,
            client_id=client_id,
            client_secret=client_secret,
        )
    )
    return tuple(each for each in (google, other) if each)


def _google_problems(client_id: str | None, client_secret: Secret | None) -> Iterator[str]:
    if client_id and not client_secret:
        yield "GOOGLE_CLIENT_ID needs GOOGLE_CLIENT_SECRET: set both, or neither."
    if client_secret and not client_id:
        yield "GOOGLE_CLIENT_SECRET needs GOOGLE_CLIENT_ID: set both, or neither."


def _other_problems(
    issuer: str | None, client_id: str | None, client_secret: Secret | None
) -> Iterator[str]:
    if issuer and not client_id:
        yield "OIDC_ISSUER needs OIDC_CLIENT_ID: set both, or neither."
    if client_id and not issuer:
        yield "OIDC_CLIENT_ID needs OIDC_ISSUER: set both, or neither."
    if client_secret and not client_id:
        yield "OIDC_CLIENT_SECRET needs OIDC_CLIENT_ID and OIDC_ISSUER."
    if issuer and not _ISSUER.fullmatch(issuer):
        yield "OIDC_ISSUER is an https:// address without user, query or fragment."
