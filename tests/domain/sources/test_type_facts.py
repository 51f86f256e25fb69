"""The table of source types: how a name is read, and what is known of a type that is not in it."""

from __future__ import annotations

import re

import pytest

from clawfeed.domain.sources.type_facts import KnownTypes, NameMark, TypeFacts

FOLLOWED = TypeFacts(
    name="followed",
    aliases=("followed_too",),
    main_key="handle",
    mark=NameMark(prefix="@", in_text=re.compile(r"@(\w+)"), bare=lambda text: text.lstrip("@")),
)
TYPES = KnownTypes([FOLLOWED])


@pytest.mark.parametrize("written", ["followed", " Followed\n", "FOLLOWED-TOO", "followed_too"])
def test_a_type_is_found_however_its_name_is_written(written: str) -> None:
    assert written in TYPES
    assert TYPES.find(written) is FOLLOWED
    assert TYPES.names(written) == ["followed", "followed_too"]


def test_a_type_that_is_not_in_the_table_is_a_plug_ins() -> None:
    """(S003-2): its sources are told apart by their parameter."""
    assert "Tide-Tables" not in TYPES
    assert TYPES.facts("Tide-Tables") == TypeFacts(
        name="tide_tables", is_plugin=True, main_key="param"
    )


def test_only_the_name_that_is_followed_bears_a_mark() -> None:
    """(S001-17)."""
    assert FOLLOWED.bare("handle", "@anna") == "anna"
    assert FOLLOWED.bare("note", "@anna") == "@anna"
    assert TypeFacts(name="plain", main_key="handle").bare("handle", "@anna") == "@anna"
