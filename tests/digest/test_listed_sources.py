"""What of a story's items its readers see as sources."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from clawfeed.digest.edition_lists.list_maker import MOST_OF_SOURCE, listed
from clawfeed.digest.selection.selection import SelectionInput, select_edition
from clawfeed.digest.writer_interface import StoryMaterial
from clawfeed.domain.editions.edition import SYSTEM_SCOPE, EditionTask
from clawfeed.domain.editions.edition_item import EditionItem
from clawfeed.domain.editions.edition_period import EditionType
from clawfeed.domain.ids import TaskId
from clawfeed.storage.editions.edition_json import from_text
from tests.support.clocks import NOON
from tests.support.edition_items import edition_item

TITLE = "Ferry strike stops traffic to the islands"
TASK = EditionTask(
    id=TaskId(1),
    scope=SYSTEM_SCOPE,
    type=EditionType.DAILY,
    period="2026-11-15",
    covers_from=NOON - timedelta(days=1),
    covers_until=NOON,
    due_at=NOON,
    expires_at=NOON,
    started_at=NOON,
)


def material(*items: EditionItem) -> StoryMaterial:
    """Of the one story that *items* tell."""
    verdicts = select_edition(SelectionInput(items=items, now=NOON))
    (story,) = listed(verdicts, items, TASK).stories
    assert story.chosen is not None
    return from_text(StoryMaterial, story.chosen.material)


def test_one_source_is_named_a_few_times_and_others_are_not_crowded_out() -> None:
    chatty = [edition_item(n, TITLE, source=1) for n in range(1, 15)]
    other = edition_item(20, TITLE, source=2)

    sources = [text.source for text in material(*chatty, other).texts]

    assert [source.source_id for source in sources] == [1] * MOST_OF_SOURCE + [2]
    assert [source.number for source in sources] == [1, 2, 3]


def test_what_bears_no_date_is_known_to_bear_none() -> None:
    undated = replace(edition_item(1, TITLE), published_at=None)

    found = material(undated, edition_item(2, TITLE))

    dated = {text.source.item_id: text.source.is_dated for text in found.texts}
    assert dated == {1: False, 2: True}
