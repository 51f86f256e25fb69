"""Providers as they are set, and documents of providers by https, which loopback cannot show."""

from __future__ import annotations

import pytest

from clawfeed.auth.oidc.cookie import PendingCookie
from clawfeed.auth.oidc.errors import OidcRefusedError
from clawfeed.auth.oidc.metadata import read_metadata
from clawfeed.auth.oidc.oidc import code_challenge
from clawfeed.auth.oidc.provider import Provider, providers
from clawfeed.domain.errors import ConfigError
from clawfeed.domain.secret import Secret
from clawfeed.egress.guard import Guard

SECRET = Secret("s")
ACME = Provider(slug="sso", name="ACME", issuer="https://id.acme.example/", client_id="c")
DOCUMENT = {
    "issuer": "https://id.acme.example/",
    "authorization_endpoint": "https://id.acme.example/authorize",
    "token_endpoint": "https://id.acme.example/token",
    "jwks_uri": "https://keys.acme.example/",
}


def test_nothing_set_means_no_provider() -> None:
    assert providers() == ()


def test_both_providers_can_be_set_and_know_their_addresses() -> None:
    google, acme = providers(
        google_client_id="g",
        google_client_secret=SECRET,
        issuer="https://id.acme.example/",
        name="ACME",
        client_id="c",
    )

    assert (google.name, google.issuer) == ("Google", "https://accounts.google.com")
    assert acme == ACME
    assert google.redirect_uri("https://f.example/") == (
        "https://f.example/auth/oidc/google/callback"
    )


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"google_client_id": "g"}, "GOOGLE_CLIENT_SECRET"),
        ({"google_client_secret": SECRET}, "GOOGLE_CLIENT_ID"),
        ({"issuer": "https://id.example"}, "OIDC_CLIENT_ID"),
        ({"client_id": "c"}, "OIDC_ISSUER"),
        ({"client_secret": SECRET}, "OIDC_CLIENT_ID"),
        ({"issuer": "https://id.example?x=1", "client_id": "c"}, "OIDC_ISSUER"),
    ],
)
def test_a_half_set_provider_is_one_sentence_that_names_the_setting(
    given: dict[str, str | Secret], named: str
) -> None:
    with pytest.raises(ConfigError, match=named) as caught:
        providers(**given)  # type: ignore[arg-type]  # a table of mixed kinds

    assert len(caught.value.problems) == 1


def test_a_secret_does_not_show_in_a_provider() -> None:
    shown = repr(
        Provider(slug="a", name="a", issuer="https://a", client_id="c", client_secret=SECRET)
    )

    assert "***" in shown


@pytest.mark.parametrize("door", ["authorization_endpoint", "token_endpoint", "jwks_uri"])
def test_a_provider_by_https_has_no_door_by_http(door: str) -> None:
    guard = Guard.parse("")
    lie = DOCUMENT | {door: "http://id.acme.example/"}

    honest = read_metadata(ACME, DOCUMENT, guard.check_url)
    with pytest.raises(OidcRefusedError) as caught:
        read_metadata(ACME, lie, guard.check_url)

    assert honest.jwks_uri == "https://keys.acme.example/"
    assert caught.value.why == "an endpoint of the provider is not https"


def test_the_challenge_is_that_of_the_standard() -> None:
    """RFC 7636, appendix B."""
    challenge = code_challenge("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")

    assert challenge == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"


def test_the_cookie_is_named_for_what_the_site_can_promise() -> None:
    names = [PendingCookie.of(url).name for url in ("https://f.example", "http://127.0.0.1:8767")]

    assert names == ["__Host-oidc", "oidc"]
