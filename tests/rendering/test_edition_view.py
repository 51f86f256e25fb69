"""What an edition says of itself: in its reader's words, zone and hours."""

from __future__ import annotations

import string
from dataclasses import replace
from datetime import timedelta

import pytest

from clawfeed.domain.editions.digest import DigestNumbers, Section, Sentence, StoryReason, WordsBy
from clawfeed.domain.editions.edition_period import EditionType
from clawfeed.domain.editions.selection import DropReason, Score
from clawfeed.rendering.edition_view import view_of
from clawfeed.rendering.wording import CHINESE, ENGLISH, Noun, Phrase, Wording, wording_of
from tests.support.clocks import NOON
from tests.support.digests import CHANGED, HOUR, MODEL, a_story, an_edition, told_by


def _parts(template: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(template) if name}


@pytest.mark.parametrize("wording", [ENGLISH, CHINESE], ids=["en", "zh"])
def test_every_language_has_words_for_everything(wording: Wording) -> None:
    assert set(wording.phrases) == set(Phrase)
    assert set(wording.nouns) == set(Noun)
    assert set(wording.sections) == set(Section)
    assert set(wording.types) == set(EditionType)
    assert set(wording.dropped) == set(DropReason)


@pytest.mark.parametrize("phrase", Phrase)
def test_a_phrase_says_the_same_in_both_languages(phrase: Phrase) -> None:
    assert _parts(ENGLISH.phrases[phrase]) == _parts(CHINESE.phrases[phrase])


def test_an_edition_says_what_it_is_made_of() -> None:
    view = view_of(an_edition())

    assert view.facts == "From 312 items of 41 sources: 1 story, 3 minutes"
    assert view.covers == (
        "Daily edition, Sunday 15 November 2026. "
        "It tells of 14 Nov 13:00 to 15 Nov 13:00 (Europe/Berlin)."
    )
    assert view.left_out_counts == (
        "120 stories: not strong enough.",
        "1 story: from a source that had told its share.",
    )
    assert view.left_out[0].line == "A quiet day (not strong enough)"


def test_chinese_readers_are_told_in_chinese() -> None:
    numbers = DigestNumbers(items=1312, sources=41, stories=1, minutes=3, ungrounded=2)
    view = view_of(an_edition(language="zh-CN", zone="Asia/Shanghai", numbers=numbers))

    assert view.facts == "从 41 个来源的 1,312 条内容中选出：1 则故事，约需 3 分钟"
    assert "2026年11月15日 星期日" in view.covers
    assert "11月15日 20:00（Asia/Shanghai）" in view.covers
    assert view.sections[0].name == "要闻"
    assert view.sections[0].stories[0].why == (
        "入选理由：5 家媒体报道；在 Hacker News 的热度位居前 3%；符合你的兴趣“rust”；2 小时前发布。"
    )
    assert view.notes[-1] == "模型有 2 句话在来源中找不到依据，已换回来源原文。"


@pytest.mark.parametrize(
    ("kind", "period", "english", "chinese"),
    [
        ("4h", "2026-11-15T08:00", "Sunday 15 November 2026, 08:00", "2026年11月15日 星期日 08:00"),
        ("weekly", "2026-W46", "week 46 of 2026", "2026年第46周"),
        ("monthly", "2026-11", "November 2026", "2026年11月"),
        ("daily", "someday", "someday", "someday"),
    ],
)
def test_a_period_is_called_as_people_call_it(
    kind: str, period: str, english: str, chinese: str
) -> None:
    edition = an_edition(type=EditionType(kind), period=period)

    assert english in view_of(edition).covers
    assert chinese in view_of(replace(edition, language="zh")).covers


def test_a_reason_names_the_facts_behind_the_score() -> None:
    story = a_story(reason=replace(a_story().reason, interests=("rust", "linkers"), days_told=3))

    why = view_of(an_edition(story)).sections[0].stories[0].why

    assert why == (
        "Why it is here: told by 5 publishers; among the loudest 3 % at Hacker News; "
        "meets your interests “rust”, “linkers”; told in 3 editions before; only 2 h old."
    )


def test_what_bears_no_date_has_no_age_and_is_not_called_new() -> None:
    """An old feed without dates would be minutes old on the day that it is added."""
    undated = told_by(1, "Rust Blog", "t", is_dated=False)

    story = view_of(an_edition(a_story(sources=(undated,)))).sections[0].stories[0]

    assert "old" not in story.sources[0].when
    assert "only" not in story.why


def test_one_more_who_tells_it_does_not_make_it_new() -> None:
    sources = (
        told_by(1, "Rust Blog", "t", published_at=NOON - HOUR),
        told_by(2, "Rust News", "t", published_at=NOON - 9 * HOUR),
    )

    assert "only" not in view_of(an_edition(a_story(sources=sources))).sections[0].stories[0].why


def test_what_is_ordinary_is_no_reason() -> None:
    """A story of one publisher, quiet and hours old, says who told it and no more."""
    score = Score(corroboration=0, signal=0.4, recency=0.5, interest=0)
    old = told_by(1, "Rust Blog", "t", published_at=NOON - 5 * HOUR)
    story = a_story(reason=StoryReason(score=score, loud_at="Rust Blog"), sources=(old,))

    why = view_of(an_edition(story)).sections[0].stories[0].why

    assert why == "Why it is here: told by Rust Blog."


def test_nothing_is_louder_than_one_percent() -> None:
    score = Score(corroboration=0, signal=1.0, recency=0.5, interest=0)
    story = a_story(reason=StoryReason(score=score, loud_at="Hacker News"))

    why = view_of(an_edition(story)).sections[0].stories[0].why

    assert "among the loudest 1 % at Hacker News" in why


def test_stories_are_numbered_through_the_sections_in_their_order() -> None:
    edition = an_edition(
        a_story("third", story_id=3, section=Section.COMMUNITY),
        a_story("first", story_id=1),
        a_story("second", story_id=2, section=Section.DEVELOPING, what_changed=CHANGED),
    )

    sections = view_of(edition).sections
    told = [(story.number, story.headline) for each in sections for story in each.stories]

    assert [each.name for each in sections] == [
        "Top stories",
        "Still developing",
        "What people talk about",
    ]
    assert told == [(1, "first"), (2, "second"), (3, "third")]
    assert sections[1].stories[0].changed == (
        "You read on 14 Nov 13:00: “Rust 1.90 is near”.",
        "New since: It is here.",
    )


def test_a_source_shows_when_it_told_and_how_old_that_is() -> None:
    ages = (timedelta(minutes=5), 3 * HOUR, 50 * HOUR, 24 * 400 * HOUR, -2 * HOUR)
    sources = tuple(
        told_by(number, "A", "t", published_at=NOON - old) for number, old in enumerate(ages, 1)
    )

    shown = view_of(an_edition(a_story(sources=sources))).sections[0].stories[0].sources

    assert [each.when for each in shown] == [
        "15 Nov 12:55 · 5 min old",
        "15 Nov 10:00 · 3 h old",
        "13 Nov 11:00 · 2 days old",
        "11 Oct 2025 14:00 · 400 days old",
        "15 Nov 15:00",
    ]


def test_a_sentence_cites_only_sources_that_are_there() -> None:
    words = replace(a_story().words, sentences=(Sentence(text="x", cites=(2, 7, 0)),))

    [sentence] = view_of(an_edition(a_story(words=words))).sections[0].stories[0].sentences

    assert [each.number for each in sentence.cites] == [2]


def test_an_edition_says_whose_words_it_has() -> None:
    numbers = DigestNumbers(items=1, sources=1, stories=2, minutes=1, ungrounded=1)
    by_both = an_edition(a_story(by=WordsBy.MODEL), a_story(story_id=2), model=MODEL)
    by_model = an_edition(a_story(by=WordsBy.MODEL), model=MODEL, numbers=numbers)

    assert view_of(an_edition()).notes == (
        "The stories are told as their sources do; no model wrote any of it.",
    )
    assert view_of(by_both).notes == (
        "A model (small-words) put 1 story into words; for 1 story the sources' own words stand.",
        "That took 12 calls and 9,300 tokens.",
        "The words for 4 stories were remembered from before.",
    )
    assert view_of(by_model).notes[0] == "A model (small-words) put the stories into words."
    assert view_of(by_model).notes[-1] == (
        "1 sentence of the model said what no source says; the sources' own words stand there."
    )


def test_an_edition_without_stories_says_so() -> None:
    numbers = DigestNumbers(items=0, sources=0, stories=0, minutes=0)
    view = view_of(replace(an_edition(), stories=(), numbers=numbers))

    assert view.nothing == "Nothing was worth telling."
    assert view.notes == ()


def test_a_language_or_zone_nobody_knows_is_english_and_utc() -> None:
    assert wording_of("tlh") is ENGLISH
    assert wording_of("ZH-Hant-TW") is CHINESE
    assert "(UTC)" in view_of(an_edition(zone="Mars/Olympus_Mons")).covers
    assert "(UTC)" in view_of(an_edition(zone="../../etc/passwd")).covers
