"""What an edition says of itself, in English and in Chinese."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from clawfeed.domain.editions.digest import Section
from clawfeed.domain.editions.edition_period import EditionType
from clawfeed.domain.editions.selection import DropReason
from clawfeed.domain.wording.because_wording import Language


class Noun(StrEnum):
    """What is counted."""

    ITEM = "item"
    SOURCE = "source"
    STORY = "story"
    MINUTE = "minute"
    SENTENCE = "sentence"
    CALL = "call"
    TOKEN = "token"  # noqa: S105 -- a model's, no secret
    DAY = "day"


class Phrase(StrEnum):
    """What is said; each has its sentence in every language."""

    FACTS = "facts"
    COVERS = "covers"
    SUMMARY = "summary"
    WHY = "why"
    TOLD_BY_MANY = "told_by_many"
    TOLD_BY_ONE = "told_by_one"
    LOUD = "loud"
    INTEREST = "interest"
    INTERESTS = "interests"
    DAYS_TOLD = "days_told"
    FRESH = "fresh"
    AND = "and"
    QUOTED = "quoted"
    LISTED = "listed"
    SOURCES = "sources"
    AGE = "age"
    FIRST_SEEN = "first_seen"
    TOLD_BEFORE = "told_before"
    NEW_SINCE = "new_since"
    BY_MODEL = "by_model"
    BY_MODEL_AND_SOURCES = "by_model_and_sources"
    BY_SOURCES = "by_sources"
    MODEL_COST = "model_cost"
    REMEMBERED = "remembered"
    UNGROUNDED = "ungrounded"
    LEFT_OUT = "left_out"
    LEFT_OUT_COUNT = "left_out_count"
    LEFT_OUT_STORY = "left_out_story"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """One language. *phrases* take their parts by name; *nouns* say one of a thing, and many."""

    language: Language
    phrases: Mapping[Phrase, str]
    nouns: Mapping[Noun, tuple[str, str]]
    sections: Mapping[Section, str]
    types: Mapping[EditionType, str]
    dropped: Mapping[DropReason, str]

    def say(self, phrase: Phrase, **parts: str) -> str:
        return self.phrases[phrase].format_map(parts)

    def counted(self, noun: Noun, number: int) -> str:
        """1 item, 1,234 items."""
        return self.nouns[noun][number != 1].format(f"{number:,}")


def wording_of(language: str) -> Wording:
    """The words for readers of *language* (`zh-CN`, `en`); English if we do not write it."""
    return _WORDINGS.get(language.lower().partition("-")[0], ENGLISH)


ENGLISH: Final = Wording(
    language=Language.ENGLISH,
    phrases={
        Phrase.FACTS: "From {items} of {sources}: {stories}, {minutes}",
        Phrase.COVERS: "{type}, {period}. It tells of {start} to {end} ({zone}).",
        Phrase.SUMMARY: "In short",
        Phrase.WHY: "Why it is here: {reasons}.",
        Phrase.TOLD_BY_MANY: "told by {publishers} publishers",
        Phrase.TOLD_BY_ONE: "told by {publisher}",
        Phrase.LOUD: "among the loudest {percent} % at {source}",
        Phrase.INTEREST: "meets your interest {interests}",
        Phrase.INTERESTS: "meets your interests {interests}",
        Phrase.DAYS_TOLD: "told in {days} editions before",
        Phrase.FRESH: "only {age} old",
        Phrase.AND: "; ",
        Phrase.QUOTED: "“{text}”",
        Phrase.LISTED: ", ",
        Phrase.SOURCES: "Sources",
        Phrase.AGE: "{age} old",
        Phrase.FIRST_SEEN: " First seen {when}.",
        Phrase.TOLD_BEFORE: "You read on {when}: {headline}.",
        Phrase.NEW_SINCE: "New since: {news}",
        Phrase.BY_MODEL: "A model ({model}) put the stories into words.",
        Phrase.BY_MODEL_AND_SOURCES: (
            "A model ({model}) put {written} into words; for {others} the sources' own words stand."
        ),
        Phrase.BY_SOURCES: "The stories are told as their sources do; no model wrote any of it.",
        Phrase.MODEL_COST: "That took {calls} and {tokens}.",
        Phrase.REMEMBERED: "The words for {answers} were remembered from before.",
        Phrase.UNGROUNDED: (
            "{sentences} of the model said what no source says; the sources' own words stand there."
        ),
        Phrase.LEFT_OUT: "What was left out",
        Phrase.LEFT_OUT_COUNT: "{stories}: {why}.",
        Phrase.LEFT_OUT_STORY: "{headline} ({why})",
        Phrase.NOTHING: "Nothing was worth telling.",
    },
    nouns={
        Noun.ITEM: ("{} item", "{} items"),
        Noun.SOURCE: ("{} source", "{} sources"),
        Noun.STORY: ("{} story", "{} stories"),
        Noun.MINUTE: ("{} minute", "{} minutes"),
        Noun.SENTENCE: ("{} sentence", "{} sentences"),
        Noun.CALL: ("{} call", "{} calls"),
        Noun.TOKEN: ("{} token", "{} tokens"),
        Noun.DAY: ("{} day", "{} days"),
    },
    sections={
        Section.TOP: "Top stories",
        Section.INTEREST: "For you",
        Section.DEVELOPING: "Still developing",
        Section.COMMUNITY: "What people talk about",
        Section.NOTEWORTHY: "Worth a look",
    },
    types={
        EditionType.FOUR_HOURS: "Four-hour edition",
        EditionType.DAILY: "Daily edition",
        EditionType.WEEKLY: "Weekly edition",
        EditionType.MONTHLY: "Monthly edition",
    },
    dropped={
        DropReason.MUTED: "a word you muted",
        DropReason.ALREADY_TOLD: "told before, and nothing new since",
        DropReason.BELOW_FLOOR: "not strong enough",
        DropReason.SOURCE_FULL: "from a source that had told its share",
        DropReason.EDITION_FULL: "no room left",
    },
)

CHINESE: Final = Wording(
    language=Language.CHINESE,
    phrases={
        Phrase.FACTS: "从 {sources}的 {items}中选出：{stories}，约需 {minutes}",
        Phrase.COVERS: "{type}，{period}。内容时段：{start} 至 {end}（{zone}）。",
        Phrase.SUMMARY: "速览",
        Phrase.WHY: "入选理由：{reasons}。",
        Phrase.TOLD_BY_MANY: "{publishers} 家媒体报道",
        Phrase.TOLD_BY_ONE: "来自 {publisher}",
        Phrase.LOUD: "在 {source} 的热度位居前 {percent}%",
        Phrase.INTEREST: "符合你的兴趣{interests}",
        Phrase.INTERESTS: "符合你的兴趣{interests}",
        Phrase.DAYS_TOLD: "此前 {days} 期均有报道",
        Phrase.FRESH: "{age}前发布",
        Phrase.AND: "；",
        Phrase.QUOTED: "“{text}”",
        Phrase.LISTED: "、",
        Phrase.SOURCES: "来源",
        Phrase.AGE: "{age}前",
        Phrase.FIRST_SEEN: "首次出现：{when}。",
        Phrase.TOLD_BEFORE: "{when} 你读到：{headline}。",
        Phrase.NEW_SINCE: "此后的新进展：{news}",
        Phrase.BY_MODEL: "本期文字由模型（{model}）撰写。",
        Phrase.BY_MODEL_AND_SOURCES: (
            "模型（{model}）撰写了 {written}；另外 {others}采用来源原文。"
        ),
        Phrase.BY_SOURCES: "本期文字均采用来源原文，未使用模型。",
        Phrase.MODEL_COST: "共 {calls}，{tokens}。",
        Phrase.REMEMBERED: "其中 {answers}沿用了此前的结果。",
        Phrase.UNGROUNDED: "模型有 {sentences}在来源中找不到依据，已换回来源原文。",
        Phrase.LEFT_OUT: "未收录的内容",
        Phrase.LEFT_OUT_COUNT: "{stories}：{why}。",
        Phrase.LEFT_OUT_STORY: "{headline}（{why}）",
        Phrase.NOTHING: "本期没有值得讲述的内容。",
    },
    nouns={
        Noun.ITEM: ("{} 条内容", "{} 条内容"),
        Noun.SOURCE: ("{} 个来源", "{} 个来源"),
        Noun.STORY: ("{} 则故事", "{} 则故事"),
        Noun.MINUTE: ("{} 分钟", "{} 分钟"),
        Noun.SENTENCE: ("{} 句话", "{} 句话"),
        Noun.CALL: ("{} 次调用", "{} 次调用"),
        Noun.TOKEN: ("{} 个词元", "{} 个词元"),
        Noun.DAY: ("{} 天", "{} 天"),
    },
    sections={
        Section.TOP: "要闻",
        Section.INTEREST: "为你而选",
        Section.DEVELOPING: "后续进展",
        Section.COMMUNITY: "大家在谈论",
        Section.NOTEWORTHY: "值得一看",
    },
    types={
        EditionType.FOUR_HOURS: "四小时刊",
        EditionType.DAILY: "日刊",
        EditionType.WEEKLY: "周刊",
        EditionType.MONTHLY: "月刊",
    },
    dropped={
        DropReason.MUTED: "含有你屏蔽的词",
        DropReason.ALREADY_TOLD: "此前已讲过，没有新进展",
        DropReason.BELOW_FLOOR: "分量不足",
        DropReason.SOURCE_FULL: "同一来源的名额已满",
        DropReason.EDITION_FULL: "本期篇幅已满",
    },
)

_WORDINGS: Final = {str(each.language): each for each in (ENGLISH, CHINESE)}
