"""What stands in a column of JSON comes back, and what is damaged is as good as nothing."""

from __future__ import annotations

import pytest

from clawfeed.domain.ids import JsonValue
from clawfeed.storage.json_columns import read_object, to_json, write_object


@pytest.mark.parametrize("text", [None, "", "{", "[]", "7", "null", '"text"', '{"a": 1}}'])
def test_what_is_no_object_reads_as_an_empty_one(text: str | None) -> None:
    assert read_object(text) == {}


@pytest.mark.parametrize(
    "value", [{"a": "汉字", "n": 1.5}, {"large": 10**30}, {"half": "\ud83d"}], ids=str
)
def test_what_was_written_is_read_again(value: dict[str, JsonValue]) -> None:
    assert read_object(write_object(value)) == value


def test_equal_configs_are_equal_texts() -> None:
    """(S001-17): the text is what two sources are told apart by."""
    assert to_json({"b": "汉字", "a": 1}) == to_json({"a": 1, "b": "汉字"}) == '{"a":1,"b":"汉字"}'
