"""Entries that share one link: each an item, and the same one at every poll (S001-2)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clawfeed.domain.ids import SourceId
from clawfeed.domain.sources.item import Draft, dedup_key
from clawfeed.sources.documents.duplicate_links import split_shared_links

HOME, PAGE = "https://pod.example/", "https://pod.example/changelog"
DATE = datetime(2026, 11, 1, tzinfo=UTC)


def episode(number: int, url: str = HOME, *, guid: str | None = None, dated: bool = True) -> Draft:
    return Draft(
        title=f"Episode {number}",
        url=url,
        published_at=DATE + timedelta(days=number) if dated else None,
        metadata={"guid": f"e{number}" if guid is None else guid},
    )


def keys(drafts: Sequence[Draft], home: str | None = HOME) -> list[str]:
    return [dedup_key(SourceId(1), draft) for draft in split_shared_links(tuple(drafts), home)]


def test_episodes_that_link_to_the_show_are_an_item_each() -> None:
    five = [episode(number) for number in range(5)]

    before, after = keys(five), keys([episode(5), *five])

    assert len(set(before)) == 5
    assert set(after) > set(before)


def test_one_episode_alone_has_the_key_it_has_among_others() -> None:
    assert keys([episode(1)])[0] in keys([episode(2), episode(1)])


def test_a_show_that_lists_only_its_last_episode_loses_none() -> None:
    assert keys([episode(1)]) != keys([episode(2)])


@pytest.mark.parametrize("written", ["http://www.pod.example", "https://pod.example", HOME])
def test_the_home_page_is_known_in_every_spelling(written: str) -> None:
    assert keys([episode(1)], written) == keys([episode(1)], HOME)


def test_an_ordinary_feed_keeps_its_links_as_keys() -> None:
    drafts = [episode(number, f"{HOME}{number}") for number in range(3)]

    assert keys(drafts) == [f"1:{HOME}0", f"1:{HOME}1", f"1:{HOME}2"]


@pytest.mark.parametrize("guid", ["", HOME, "https://pod.example"])
def test_without_a_guid_of_its_own_an_entry_is_its_link(guid: str) -> None:
    """Some parsers fill in the link where there is no guid."""
    assert keys([episode(1, guid=guid)]) == [f"1:{HOME}"]


def test_an_entry_listed_twice_is_one_item() -> None:
    for url in (HOME, PAGE):
        assert len(set(keys([episode(1, url), episode(1, url)]))) == 1


def test_a_first_item_keeps_its_key_when_others_come_to_its_link() -> None:
    assert keys([episode(1, PAGE)]) == [f"1:{PAGE}"]
    assert keys([episode(1, PAGE), episode(2, PAGE)])[0] == f"1:{PAGE}"


@given(
    st.lists(st.tuples(st.integers(0, 12), st.integers(2, 6)), min_size=1, max_size=12),
    st.booleans(),
    st.booleans(),
)
def test_no_poll_loses_or_repeats_an_entry_of_a_shared_link(
    moves: list[tuple[int, int]], newest_first: bool, dated: bool
) -> None:
    """Windows of any length that slide over a feed and overlap, as polls of it do."""
    newest_first = newest_first or not dated
    collected: dict[str, str] = {}
    seen: set[str] = set()
    start, width = 0, 1
    for step, wider in moves:
        window = [episode(number, PAGE, dated=dated) for number in range(start, start + width)]
        shown = window[::-1] if newest_first else window
        for draft, key in zip(shown, keys(shown), strict=True):
            seen.add(draft.title)
            collected.setdefault(key, draft.title)
        start, width = start + min(step, width - 1), max(wider, width)

    assert sorted(collected.values()) == sorted(seen)
