"""An edition's title and summary without a model: what its best stories name, and what they say."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from clawfeed.digest.summaries.headline import shorten_at_clause
from clawfeed.digest.summaries.length import length_in_words
from clawfeed.digest.summaries.sentences import is_whole
from clawfeed.digest.summaries.topics import topics_of
from clawfeed.digest.summaries.word_overlap import bag_of, share_in
from clawfeed.digest.writer_interface import EditionHeading
from clawfeed.domain.editions.digest import DigestStory

LONGEST_TITLE: Final = 80
MOST_TOPICS: Final = 4
# Fewer than this, and the title takes two of each story.
FEW_STORIES: Final = 3
SUMMARY_LINES: Final = 3
LONGEST_LINE: Final = 160
# "It was 2025." is no summary; in words.
SHORTEST_LINE: Final = 8
ENOUGH_OF_HEADLINE: Final = 0.3
# Stories that may lend the title a topic; those behind them are not what the edition is about.
_LOOKED_AT: Final = 8


class TopicHeading:
    """An edition's title and summary, from what it is about; nothing in them is made up."""

    async def write(self, stories: Sequence[DigestStory], language: str) -> EditionHeading:
        return EditionHeading(title=title_of(stories, language), summary=summary_of(stories))


def title_of(stories: Sequence[DigestStory], language: str) -> str:
    """Two to four topics of the best stories, without a verb; "" for an edition without stories."""
    best = sorted(stories, key=lambda story: -story.reason.score.total)[:_LOOKED_AT]
    mark = "、" if language.partition("-")[0] in ("zh", "ja") else ", "
    topics: list[str] = []
    for rank in range(1 if len(best) >= FEW_STORIES else 2):
        for story in best:
            found = topics_of(story)
            if len(topics) < MOST_TOPICS and len(found) > rank:
                _add(topics, found[rank], mark)
    if topics:
        return mark.join(topics)
    return shorten_at_clause(best[0].words.headline, LONGEST_TITLE) if best else ""


def summary_of(stories: Sequence[DigestStory]) -> tuple[str, ...]:
    """A line for each of the three best stories, of different sections where there are such."""
    best = sorted(stories, key=lambda story: -story.reason.score.total)
    places = {story.section: place for place, story in reversed(list(enumerate(best)))}
    first_of_each = sorted(places.values())
    others = [place for place in range(len(best)) if place not in first_of_each]
    chosen = sorted([*first_of_each, *others][:SUMMARY_LINES])
    return tuple(_line(best[place]) for place in chosen)


def _add(topics: list[str], topic: str, mark: str) -> None:
    is_new = not any(topic in other or other in topic for other in topics)
    if is_new and len(mark.join([*topics, topic])) <= LONGEST_TITLE:
        topics.append(topic)


def _line(story: DigestStory) -> str:
    """Its first sentence if it fits, else its headline: a sentence cut short says less."""
    first = story.words.sentences[0].text if story.words.sentences else ""
    is_short = length_in_words(first) < SHORTEST_LINE
    # "All 27 keep their jobs" says nothing to who has not read the headline.
    stands_alone = share_in(bag_of(story.words.headline), bag_of(first)) >= ENOUGH_OF_HEADLINE
    is_question = first.rstrip('"”’)').endswith(("?", "？"))
    if (
        is_whole(first)
        and len(first) <= LONGEST_LINE
        and stands_alone
        and not (is_short or is_question)
    ):
        return first
    return shorten_at_clause(story.words.headline, LONGEST_LINE)
