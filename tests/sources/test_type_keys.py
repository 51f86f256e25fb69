"""The keys of a type are said once, by its descriptor: a check goes by them, and the manual."""

from __future__ import annotations

from pathlib import Path

import pytest

from clawfeed.app.settings.config_loading import load_config
from clawfeed.app.wiring.fetching import opened_sources
from clawfeed.sources.source_types.built_in import BUILT_IN
from clawfeed.sources.source_types.source_type import SourceType
from clawfeed.storage.database import Database


async def test_each_check_takes_the_keys_of_the_descriptor_and_no_other(
    database: Database, tmp_path: Path
) -> None:
    """(S001-17): whether or not anybody can read the type."""
    async with opened_sources(load_config({}, directory=tmp_path), database) as tools:
        told = {
            each.name: " ".join(tools.fetchers.problems(each.name, {"nonsense": "1"}))
            for each in BUILT_IN
        }

    for each in BUILT_IN:
        names = ", ".join(sorted(each.keys))
        assert (
            f"'nonsense' is no setting of this source; its settings are {names}." in told[each.name]
        )


@pytest.mark.parametrize("described", [*BUILT_IN], ids=lambda described: described.name)
def test_whatever_else_a_descriptor_says_of_a_key_is_of_one_of_its_keys(
    described: SourceType,
) -> None:
    named = {*described.defaults, *described.caseless, *(described.probe or {})}
    named |= {described.main_key} if described.main_key else set()

    assert named <= set(described.keys)
