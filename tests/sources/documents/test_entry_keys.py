"""Entries that are stored already are not cleaned again, and nothing else changes by it."""

from __future__ import annotations

import cProfile
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clawfeed.domain.ids import SourceId
from clawfeed.domain.sources.item import Draft, dedup_key
from clawfeed.sources.documents.entry_keys import SIZE, content_key, entry_key
from clawfeed.sources.documents.feed import FeedDocument, parse_feed
from clawfeed.sources.documents.html_sanitizer import sanitize_html
from tests.sources.simulated_world import rss
from tests.support.clocks import NOON

BASE = "https://site.example/feed"
HOME = "<link>https://pod.example/</link>"


def read(*items: str, keys: str = "", head: str = "") -> FeedDocument:
    body = rss(*items, head=head).encode()
    return parse_feed(body, content_type="", base_url=BASE, now=NOON, keys=keys)


def entry(number: int) -> str:
    return (
        f"<title>{number}</title><link>https://site.example/{number}</link>"
        f"<description>&lt;p>Words {number}</description>"
    )


def cleanings(*items: str, keys: str) -> int:
    """How many texts a document of these items has cleaned."""
    profile = cProfile.Profile()
    profile.runcall(read, *items, keys=keys)
    code = sanitize_html.__code__
    return sum(each.callcount for each in profile.getstats() if each.code == code)


def test_half_a_character_costs_a_cleaning_and_never_a_feed() -> None:
    assert content_key("whole") != b""
    assert content_key("half \ud83d") == b""
    assert len(entry_key("https://site.example/\ud83d", None)) == SIZE


def test_of_a_hundred_entries_with_one_new_one_is_cleaned() -> None:
    hundred = [entry(number) for number in range(100)]
    before = read(*hundred)

    assert cleanings(*hundred, keys="") == 100
    assert cleanings(entry(100), *hundred, keys=before.keys) == 1


def test_what_is_new_comes_alone_and_the_rest_is_counted() -> None:
    before = read(entry(1), entry(2))

    after = read(entry(3), entry(1), entry(2), "<author/>", keys=before.keys)

    assert [draft.title for draft in after.entries] == ["3"]
    assert (after.known, after.dropped) == (2, 1)


def test_entries_without_a_link_are_known_by_all_they_say() -> None:
    texts = [f"<title>A</title><description>{n}</description>" for n in range(3)]
    before = read(*texts[:2])

    after = read(*texts, keys=before.keys)

    assert [draft.content for draft in after.entries] == ["2"]
    assert read(*texts, keys=after.keys).entries == ()


def test_an_empty_entry_is_never_known() -> None:
    before = read("<author/>")

    after = read("<author/>", keys=before.keys)

    assert (after.known, after.dropped) == (0, 1)


@pytest.mark.parametrize("keys", ["", "x", "é", "\x00", "AAAA", "=" * 8, "A" * 11])
def test_lost_or_damaged_keys_cost_a_cleaning_and_nothing_else(keys: str) -> None:
    whole = read(entry(1), entry(2))

    assert read(entry(1), entry(2), keys=keys) == whole
    assert read(entry(1), entry(2), keys=whole.keys[1:] + keys) == whole


# --- the same items as without keys -------------------------------------------------------------


@dataclass
class Stored:
    """What a source would have stored after some polls: as `new_items` does, in a dictionary."""

    uses_keys: bool
    keys: str = ""
    items: dict[str, Draft] = field(default_factory=dict)

    def poll(self, *items: str, head: str) -> tuple[int, bool]:
        """How many were new, and whether all that the document held was."""
        document = read(*items, head=head, keys=self.keys if self.uses_keys else "")
        self.keys = document.keys
        found = {dedup_key(SourceId(1), draft): draft for draft in reversed(document.entries)}
        new = {key: draft for key, draft in found.items() if key not in self.items}
        self.items |= new
        return len(new), not document.known and len(new) == len(document.entries) > 0


LINKS = st.sampled_from(["", "https://pod.example", "https://pod.example/", "https://a.example/1"])
GUIDS = st.sampled_from(["", "g1", "g2", "g3", "https://a.example/1"])
DATES = st.sampled_from(["", "Sat, 15 Nov 2025 10:00:00 GMT", "Sun, 16 Nov 2025 10:00:00 GMT"])
TEXTS = st.sampled_from(["", "one", "two"])


def item(link: str, guid: str, date: str, title: str, text: str) -> str:
    values = {"link": link, "guid": guid, "pubDate": date, "title": title, "description": text}
    return "".join(f"<{name}>{value}</{name}>" for name, value in values.items() if value)


DOCUMENTS = st.lists(st.builds(item, LINKS, GUIDS, DATES, TEXTS, TEXTS), max_size=5)


@given(st.lists(st.tuples(DOCUMENTS, st.sampled_from(["", HOME])), max_size=5))
def test_polls_that_know_what_is_stored_store_what_others_store(
    polls: list[tuple[list[str], str]],
) -> None:
    """(S001-2) shared links, changed texts, no links, no dates, entries that leave and return."""
    knowing, forgetful = Stored(uses_keys=True), Stored(uses_keys=False)

    for items, head in polls:
        assert knowing.poll(*items, head=head) == forgetful.poll(*items, head=head)

    assert list(knowing.items.items()) == list(forgetful.items.items())
