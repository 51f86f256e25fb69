"""(T17): what of a config may be shown, and what may be given away."""

from __future__ import annotations

import pytest

from clawfeed.domain.ids import JsonValue
from clawfeed.domain.sources.source_secrets import mask_config, mask_url, public_part

CANARY = "canary5d1c9a7e2b"


@pytest.mark.parametrize(
    "url",
    [
        f"https://a.example/feed?token={CANARY}",
        f"https://a.example/feed?page=2&api_key={CANARY}&x=1",
        f"https://a.example/feed?apiKey={CANARY}",
        f"https://a.example/feed?auth={CANARY}#top",
        f"https://a.example/feed?access%5Ftoken={CANARY}",
        f"https://{CANARY}:x@a.example/feed",
        f"https://me:x@{CANARY}@a.example/feed",
        f"https://me:my {CANARY} word@a.example/feed",
        f"https://a.example/feed?u={CANARY * 2}",
        f"https://a.example/feed?u=eyJhbGciOiJIUzI1NiJ9.{CANARY}.{CANARY}",
        f"https://a.example/feed?u=ghp_{CANARY}",
    ],
)
def test_what_looks_like_a_token_in_an_address_is_masked(url: str) -> None:
    shown = mask_url(url)

    assert CANARY not in shown
    assert "***" in shown
    assert shown.startswith("https://")
    assert mask_url(shown) == shown


@pytest.mark.parametrize(
    "url",
    [
        "https://www.youtube.com/feeds/videos.xml?channel_id=UCXuqSBlHAE6Xw-yeJA0Tunw",
        "https://www.youtube.com/feeds/videos.xml?playlist_id=PLrAXtmErZgOeiKm4sgNOknGvNjby9efdf",
        "https://news.example/rss?q=keyword&monkey=banana&format=atom",
        "https://a.example/feed?token=",
        "https://a.example/@someone/feed",
    ],
)
def test_ordinary_addresses_stay_as_they_are(url: str) -> None:
    assert mask_url(url) == url


def test_headers_and_secret_settings_are_masked_and_the_rest_stays_readable() -> None:
    config: dict[str, JsonValue] = {
        "endpoint": f"https://a.example/?key={CANARY}",
        "headers": {"X-Anything": CANARY, "Accept": "text/plain"},
        "client_secret": CANARY,
        "nested": [{"password": CANARY, "retries": 3}, f"sk-{CANARY}"],
        "fields": {"key": "data.key", "title": "name"},
        "limit": 25,
    }

    shown = mask_config(config)

    assert CANARY not in str(shown)
    assert shown["headers"] == {"X-Anything": "***", "Accept": "***"}
    assert (shown["fields"], shown["limit"]) == (config["fields"], 25)
    assert list(shown) == list(config)


def test_what_is_given_away_has_no_secrets_or_is_not_given_at_all() -> None:
    with_headers: dict[str, JsonValue] = {
        "endpoint": "https://a.example/",
        "headers": {"X": "1"},
        "token": "t",
    }

    assert public_part(with_headers) == {"endpoint": "https://a.example/"}
    assert public_part({"url": f"https://a.example/?token={CANARY}"}) is None
    assert public_part({"url": "https://a.example/", "headers": {}}) == {
        "url": "https://a.example/",
        "headers": {},
    }
