"""What is told of what is wrong, and in which words."""

from __future__ import annotations

import re

import pytest

from clawfeed.domain.alarm import AlarmCode, Trouble, changes_for, grouped
from clawfeed.domain.ids import UserId
from clawfeed.domain.wording.alarm_sentences import CHINESE, ENGLISH
from clawfeed.domain.wording.alarm_wording import alarm_words, recovery_words
from clawfeed.domain.wording.because_wording import Language
from tests.support.clocks import NOON

# Everything that a rule of `storage.operations.troubles` puts into the parameters of its code.
PARAMETERS: dict[str, str | int] = {
    "source": 7, "name": "A feed", "paused_because": "errors", "task": 3, "type": "daily",
    "period": "2026-11-15", "scope": "system", "since": "2026-11-15T12:00:00+00:00",
    "errors": 9, "fetches": 10, "channel": 4, "kind": "telegram", "reason": "refused",
    "month": "2026-11", "api": "X", "used": 5, "limit": 5, "why": "the disk is full",
}  # fmt: skip


@pytest.mark.parametrize("language", Language)
@pytest.mark.parametrize("code", AlarmCode)
def test_every_alarm_has_its_words_in_every_language(code: AlarmCode, language: Language) -> None:
    trouble = Trouble(code=code, subject="7", parameters=PARAMETERS)
    many = grouped([Trouble(code=code, subject=str(n), parameters=PARAMETERS) for n in range(9)])

    for each in (trouble, *many):
        for words in (alarm_words(each, language), recovery_words(each, language)):
            said = f"{words.title} {words.sentence}"
            assert not re.search(r"[{}]|\?(?! )|None", said), said
            assert words.title.count("\n") == 0
            assert bool(re.search("[\u4e00-\u9fff]", words.text)) is (language == "zh")
    assert set(ENGLISH) == set(CHINESE) == set(AlarmCode)


def test_a_row_of_another_version_is_shown_as_well_as_it_can_be() -> None:
    words = alarm_words(Trouble(code=AlarmCode.POLLS_FAILING))

    assert words.text == "? of ? polls within an hour failed"


def test_a_name_of_a_stranger_is_one_short_line_and_no_part_of_the_title() -> None:
    hostile = "\n".join(["{0}%s", "<b>", "x" * 500])
    words = alarm_words(
        Trouble(code=AlarmCode.SOURCE_STALE, parameters={"source": 1, "name": hostile})
    )

    assert "<b>" not in words.title
    assert "\n" not in words.text
    assert "{0}%s <b> xxx" in words.text
    assert len(words.text) < 200


def test_many_of_a_kind_are_one_but_not_those_of_different_people() -> None:
    ours = [Trouble(code=AlarmCode.SOURCE_STALE, subject=str(n)) for n in range(4)]
    theirs = [
        Trouble(code=AlarmCode.CHANNEL_FAILED, subject=str(n), owner_id=UserId(n))
        for n in range(1, 6)
    ]

    rung = changes_for([*ours, *theirs], [], NOON).rung

    assert [trouble.subject for trouble in rung] == ["0+3", "1", "2", "3", "4", "5"]
    assert rung[0].subjects == ("0", "1", "2", "3")
