"""Character references: what browsers make of them, without a way to break a document."""

from __future__ import annotations

import html
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import clawfeed
from clawfeed.domain.html_entities import unescape

ROOT = Path(clawfeed.__file__).parent


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("caf&eacute; &amp;amp; &#233;&#xe9;", "café &amp; éé"),
        ("a&#99999999;b", "a\ufffdb"),
        ("a&#" + "9" * 4301 + ";b", "a\ufffdb"),
        ("a&#" + "9" * 5000 + " b", "a\ufffd b"),
        ("&#" + "0" * 5000 + "65;&#00000000;", "A\ufffd"),
    ],
)
def test_a_reference_of_any_length_is_a_character(text: str, plain: str) -> None:
    """Python reads no number of over 4,300 digits; the document it stands in must not pay (T30)."""
    assert unescape(text) == plain


@given(st.text(alphabet="&#x0169;aé ", max_size=40))
def test_shorter_ones_mean_what_they_mean_to_everybody(text: str) -> None:
    assert unescape(text) == html.unescape(text)


def test_nothing_that_strangers_wrote_is_decoded_in_another_way() -> None:
    # The simulator's texts are our own.
    files = [path for path in ROOT.rglob("*.py") if "simulator" not in path.parts]

    users = [path.name for path in files if "html.unescape(" in path.read_text(encoding="utf-8")]

    assert users == ["html_entities.py"]
