"""Canaries: no known secret and nothing shaped like one gets through (T17)."""

from __future__ import annotations

from time import process_time
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clawfeed.app.settings.redaction import Redactor, is_secret_name, passwords_in

CANARY = "CANARY0123456789abcdefABCDEF012345678"


@pytest.mark.parametrize(
    "text",
    [
        f"Authorization: Bearer {CANARY}",
        f"Authorization: Basic {CANARY}==",
        f"authorization={CANARY}",
        f"Proxy-Authorization: {CANARY}",
        f"{{'Authorization': 'Bearer {CANARY}'}}",
        f'{{"authorization": "token {CANARY}"}}',
        f"('Authorization', 'Bearer {CANARY}')",
        f"Cookie: theme=dark; sid={CANARY}",
        f"Set-Cookie: sid={CANARY}; HttpOnly",
        f"sent bearer {CANARY}",
        f"https://user:{CANARY}@feeds.example/rss",
        f"https://{CANARY}@feeds.example/rss",
        f"postgresql://u:p@{CANARY}@db/feeds",
        f"https://feeds.example/rss?token={CANARY}&x=1",
        f"https://feeds.example/rss?access_token={CANARY}",
        f"https://feeds.example/rss?KEY={CANARY}",
        f"https://feeds.example/rss?api_key={CANARY}",
        f"https://feeds.example/rss?sig={CANARY}",
        f"https://feeds.example/rss?X-Amz-Signature={CANARY}",
        f"client_secret={CANARY}",
        f'password="two words {CANARY}"',
        f"{{'api_key': '{CANARY}'}}",
        f'{{"password": "{CANARY}"}}',
        f"https://api.telegram.org/bot123456:{CANARY}/sendMessage",
        f"token is 123456789:{CANARY}",
        f"ghp_{CANARY}",
        f"github_pat_{CANARY}",
        f"(sk-proj-{CANARY})",
        f"key cf_abcd1234_{CANARY} created",
        f"xoxb-{CANARY}",
    ],
)
def test_what_looks_like_a_secret_is_masked(text: str) -> None:
    masked = Redactor()(text)

    assert "CANARY" not in masked
    assert "***" in masked


@pytest.mark.parametrize(
    "text",
    [
        "poll finished",
        "https://medium.com/@someone/a-story?page=2",
        "3:0123456789abcdef0123456789abcdef",
        "a task-force for the monkey",
        "2026-11-15T21:38:00Z",
        "the keyword, the tokens, the passwords",
        "someone@example.org",
    ],
)
def test_ordinary_text_stays(text: str) -> None:
    assert Redactor()(text) == text


@pytest.mark.parametrize(
    "secret", ["swordfish", "pass/wörd &+", 'it\'s "quoted"', "back\\slash", "中文密码"]
)
def test_a_known_secret_is_masked_in_every_form_it_is_written_in(secret: str) -> None:
    redact = Redactor([secret])
    forms = [secret, quote(secret), quote(secret, safe=""), repr(secret)[1:-1]]

    for form in forms:
        assert redact(f"before {form} after") == "before *** after"


def test_the_longer_of_two_secrets_is_masked_whole() -> None:
    redact = Redactor(["swordfish", "swordfish-and-more"])

    assert redact("swordfish-and-more swordfish") == "*** ***"


def test_a_tiny_secret_does_not_mask_half_of_every_line() -> None:
    assert Redactor(["a", ""])("a banana") == "a banana"


@pytest.mark.parametrize(
    ("name", "is_secret"),
    [
        ("token", True),
        ("api_key", True),
        ("Authorization", True),
        ("X-Api-Key", True),
        ("set-cookie", True),
        ("client_secret", True),
        ("tokens", False),
        ("dedup_key", False),
        ("source", False),
    ],
)
def test_some_field_names_mean_a_secret(name: str, *, is_secret: bool) -> None:
    assert is_secret_name(name) == is_secret


def test_passwords_are_found_in_urls_as_written_and_decoded() -> None:
    assert passwords_in("postgresql://u:p%40ss@db/feeds") == {"p%40ss", "p@ss"}
    assert passwords_in("https://user@host/ and sqlite:///x.db") == set()


@given(st.text(min_size=6), st.text(), st.text())
def test_a_known_secret_never_survives(secret: str, before: str, after: str) -> None:
    masked = Redactor([secret])(before + secret + after)

    # The mask itself may spell a secret made of stars.
    assert secret not in masked or set(secret) == {"*"}


@pytest.mark.parametrize(
    "text",
    [
        "://" * 20_000,
        "a" * 60_000,
        "1" * 60_000,
        "token" * 12_000,
        "authorization " * 4_000,
        "cookie:" + " " * 60_000,
        "sk-" * 20_000,
        "password'" + " " * 60_000,
        "://" + "@" * 60_000,
    ],
    ids=lambda text: text[:12],
)
def test_hostile_text_takes_no_time(text: str) -> None:
    """(T29). Measured at 10-30 ms each; a quadratic pattern takes minutes."""
    redact = Redactor(["swordfish"])
    started = process_time()

    redact(text)

    assert process_time() - started < 2
