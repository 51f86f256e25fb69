"""What makes an item the same item twice."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from clawfeed.domain.ids import SourceId
from clawfeed.domain.sources.item import LONGEST_URL_IN_KEY, Draft, dedup_key, fingerprint

SEVEN = SourceId(7)


def test_an_item_is_known_by_its_url() -> None:
    """(S001-2)."""
    draft = Draft(title="A", url="https://a.example/1")

    assert dedup_key(SEVEN, draft) == "7:https://a.example/1"


def test_without_a_url_its_words_are_its_name() -> None:
    """(S001-2)."""
    same = [Draft(title="A", content="x"), Draft(title="A", content="x")]
    other = Draft(title="A", content="y")

    assert dedup_key(SEVEN, same[0]) == dedup_key(SEVEN, same[1]) != dedup_key(SEVEN, other)


def test_a_changed_page_is_a_new_item_at_the_same_url() -> None:
    """Settled question 6."""
    old, new = (Draft(title="A", url="https://a.example/", version=v) for v in ("v1", "v2"))

    assert dedup_key(SEVEN, old) != dedup_key(SEVEN, new)


def test_an_endless_url_makes_a_short_key() -> None:
    draft = Draft(title="A", url="https://a.example/" + "x" * 100_000)

    assert len(dedup_key(SEVEN, draft)) < LONGEST_URL_IN_KEY


@given(st.lists(st.text(), max_size=4), st.lists(st.text(), max_size=4))
def test_fingerprints_are_equal_only_for_equal_parts(left: list[str], right: list[str]) -> None:
    assert (fingerprint(*left) == fingerprint(*right)) == (left == right)
