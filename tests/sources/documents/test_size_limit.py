"""How much one document may bring in all."""

from __future__ import annotations

from clawfeed.domain.sources.item import Draft
from clawfeed.sources.documents.size_limit import LONGEST_LEFT, bounded, warnings_of


def test_the_first_keep_everything_and_the_rest_a_few_words() -> None:
    content = "<p>Q&amp;A <b>now</b></p>"
    drafts = [Draft(title=str(number), content=content) for number in range(4)]

    kept, shortened = bounded(drafts, most=2 * len(content))

    assert [draft.title for draft in kept] == ["0", "1", "2", "3"]
    assert [draft.content for draft in kept[:2]] == [content] * 2
    assert {" ".join(draft.content.split()) for draft in kept[2:]} == {"Q&amp;A now"}
    assert shortened == 2


def test_what_is_too_much_does_not_take_the_place_of_what_follows() -> None:
    drafts = [Draft(title="large", content="<p>" + "x" * 5000), Draft(title="small", content="y")]

    kept, shortened = bounded(drafts, most=1000)

    assert kept[0].content == "x" * LONGEST_LEFT
    assert kept[1] is drafts[1]
    assert shortened == 1


def test_a_warning_is_given_only_for_a_change() -> None:
    assert warnings_of(0) == ()
    assert "3 items were cut" in warnings_of(3)[0]
