"""Short names for addresses."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clawfeed.domain.slugs import free_slug, slug_of, stem_of


@given(st.text())
def test_every_slug_fits_into_an_address(text: str) -> None:
    slug = slug_of(text)

    assert len(slug) <= 64
    assert set(slug) <= set("abcdefghijklmnopqrstuvwxyz0123456789-")
    assert slug.strip("-") == slug


@pytest.mark.parametrize(
    ("name", "slug"),
    [("Anna Schmidt", "anna-schmidt"), ("Jos\u00e9", "jose"), ("\u674e\u96f7", ""), ("--", "")],
)
def test_slugs(name: str, slug: str) -> None:
    """Accents are left out, not the letters under them."""
    assert slug_of(name) == slug


def test_a_taken_slug_gets_the_first_free_number() -> None:
    assert free_slug("anna", {"anna", "anna-2", "anna-4"}) == "anna-3"
    assert free_slug("anna-7", {"anna", "anna-2"}) == "anna-7"


@given(st.from_regex(r"[a-z0-9]([a-z0-9-]{0,62}[a-z0-9])?", fullmatch=True))
def test_a_numbered_slug_fits_too_and_begins_with_its_stem(wanted: str) -> None:
    slug = free_slug(wanted, {wanted})

    assert len(slug) <= 64
    assert slug == f"{stem_of(wanted)}-2"
