"""One thing has one spelling: `@name` and `name` are one source, and one bill (S001-17)."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from clawfeed.domain.errors import AlreadyExistsError, InvalidInputError
from clawfeed.domain.ids import JsonValue, SourceId
from clawfeed.domain.sources.source import Source
from clawfeed.domain.sources.source_faults import Lookalikes
from clawfeed.sources.discovery.new_source import SourceRequest, prepare, refuse_repeated
from clawfeed.sources.registry import Fetchers
from clawfeed.sources.source_types.built_in import BUILT_IN
from clawfeed.storage.database import Database
from clawfeed.storage.people.users import NewUser, UserStore
from clawfeed.storage.source_changes.source_changes import SourceChanges, SourceExists, SourceStored
from clawfeed.storage.sources.sources import NewSource, SourceStore
from tests.support.clocks import NOON

NOBODY = Fetchers(BUILT_IN)  # no back end is set up for anything


def account(handle: str) -> NewSource:
    return prepare(NOBODY, SourceRequest(type="twitter_feed", config={"handle": handle}))


def test_an_account_is_stored_without_its_mark_and_shown_with_it() -> None:
    new = account("@openai")

    assert (dict(new.config), new.name) == ({"handle": "openai"}, "@openai")
    assert account("openai").identity == new.identity


@pytest.mark.parametrize("stored", ["@openai", "openai", "@OpenAI"])
def test_a_command_finds_every_spelling_of_an_account(stored: str) -> None:
    old = Source(id=SourceId(7), type="twitter_account", name="x", config={"handle": stored})

    with pytest.raises(AlreadyExistsError, match="source 7"):
        refuse_repeated(account("@openai"), Lookalikes(BUILT_IN, [old]))


async def test_the_api_finds_an_account_that_was_stored_with_its_mark(database: Database) -> None:
    """Rows of yesterday keep their "@"."""
    owner = await UserStore(database).add(NewUser(email="a@example.org", name="A"), now=NOON)
    old = NewSource(type="twitter_feed", name="@openai", config={"handle": "@openai"})
    stored = await SourceStore(database).add(old, now=NOON)

    changes = SourceChanges(database, BUILT_IN)
    found = await changes.add(account("openai"), owner.id, most=5, now=NOON)
    other = await changes.add(account("other"), owner.id, most=5, now=NOON)

    assert isinstance(found, SourceExists)
    assert found.row.id == stored.id
    assert isinstance(other, SourceStored)


@pytest.mark.parametrize(
    ("source_type", "config"),
    [
        ("twitter_feed", {"handle": ", ".join(f"h{n}" for n in range(600))}),
        ("twitter_feed", {"handle": [f"h{n}" for n in range(600)]}),
        ("twitter_list", {"list_id": "not a number"}),
        ("of_a_plugin_elsewhere", {"param": " ".join(f"h{n}" for n in range(600))}),
    ],
)
def test_absurd_configs_are_refused_though_nobody_can_read_the_type(
    source_type: str, config: Mapping[str, JsonValue]
) -> None:
    known = Fetchers(BUILT_IN)
    known.explain_absence("of_a_plugin_elsewhere", "not installed")

    with pytest.raises(InvalidInputError):
        prepare(known, SourceRequest(type=source_type, config=config))
