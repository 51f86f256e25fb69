"""Labelled headlines to judge stories by, in a folder that `BENCH_DATASETS` names."""

from __future__ import annotations

import csv
import os
import random
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from clawfeed.digest.stories.grouping import StoryText

A_READERS_DAY = 126
MOST_PER_STORY = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Headline:
    story: str
    text: StoryText


def datasets() -> Path | None:
    """The folder, if there is one: `headlines.tsv` (half, story, unix, publisher, title)."""
    folder = os.environ.get("BENCH_DATASETS")
    return Path(folder) if folder else None


def headlines(folder: Path, half: str) -> list[Headline]:
    rows = (folder / "headlines.tsv").read_text(encoding="utf-8").split("\n")[1:]
    parts = (row.split("\t") for row in rows if row.count("\t") == 4)
    return [
        Headline(
            story=story, text=StoryText(title=title, at=datetime.fromtimestamp(float(at), UTC))
        )
        for of, story, at, _, title in parts
        if of == half
    ]


def readers_days(found: list[Headline], days: int) -> Iterator[list[Headline]]:
    """About as many as a reader has a day, one to eight of each story."""
    by_story: defaultdict[str, list[Headline]] = defaultdict(list)
    for headline in found:
        by_story[headline.story].append(headline)
    for day in range(days):
        dice = random.Random(f"day {day}")
        stories = sorted(by_story)
        dice.shuffle(stories)
        drawn: list[Headline] = []
        while stories and len(drawn) < A_READERS_DAY:
            of = by_story[stories.pop()]
            drawn += dice.sample(of, min(len(of), dice.randint(1, MOST_PER_STORY)))
        yield drawn


def all_at_once(found: list[Headline], size: int) -> list[Headline]:
    dice = random.Random("all at once")
    return dice.sample(found, min(size, len(found)))


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedPair:
    one: StoryText
    other: StoryText
    is_same: bool


def judged_pairs(folder: Path) -> list[JudgedPair]:
    """`pairs_en.tsv`: two titles with their texts, and whether people call it one story."""
    with (folder / "pairs_en.tsv").open(encoding="utf-8", newline="") as file:
        return [
            JudgedPair(
                one=_text(row, "first"),
                other=_text(row, "second"),
                is_same=row["GOLDEN:quality"] == "OK",
            )
            for row in csv.DictReader(file, delimiter="\t")
        ]


def _text(row: dict[str, str], which: str) -> StoryText:
    return StoryText(
        title=row[f"INPUT:{which}_title"] or "",
        lead=row[f"INPUT:{which}_text"] or "",
        at=datetime.fromtimestamp(0, UTC),
    )
