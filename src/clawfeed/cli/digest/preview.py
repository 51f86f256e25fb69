"""A selection with its scores, for people and for scripts."""

from __future__ import annotations

from clawfeed.cli.terminal.plurals import counted
from clawfeed.cli.terminal.width import cut, terminal_width
from clawfeed.digest.preview import EditionPreview
from clawfeed.digest.selection.selection import StoryVerdict
from clawfeed.domain.editions.selection import Score
from clawfeed.rendering.json_edition import score_parts_as_json


def preview_lines(preview: EditionPreview, *, everything: bool) -> list[str]:
    """The selection for people, as wide as their terminal."""
    width = terminal_width()
    chosen = [each for each in preview.stories if each.dropped is None]
    left = [each for each in preview.stories if each.dropped is not None]
    items, sources = counted(preview.items, "item"), counted(preview.sources, "source")
    lines = [f"From {items} of {sources}: {_stories(len(chosen))}", ""]
    for number, story in enumerate(chosen, 1):
        lines += [cut(f"{number:2}. {story.title}", width), cut(f"    {_why(story)}", width)]
    if left and not everything:
        lines += ["", f"{_stories(len(left))} left out (--all shows them)"]
    for story in left if everything else ():
        lines.append(cut(f" -  {story.title}", width))
        lines.append(cut(f"    {story.dropped}: {_why(story)}", width))
    return lines


def _stories(number: int) -> str:
    return "1 story" if number == 1 else f"{number} stories"


def _why(story: StoryVerdict) -> str:
    publishers = story.reason.publishers
    told = f"{publishers} publishers" if publishers > 1 else story.items[0].source_name
    return f"{score_words(story.verdict.score)} · {told}"


def score_words(score: Score) -> str:
    """`2.4 = told 1.0 + loud 0.5 + fresh 0.9`; what counts for nothing is left out at the end."""
    parts = f"told {score.corroboration:.1f} + loud {score.signal:.1f} + fresh {score.recency:.1f}"
    for name, value in (("wanted", score.interest), ("lasting", score.lasting)):
        if value:
            parts += f" {'+' if value > 0 else '-'} {name} {abs(value):.1f}"
    return f"{score.total:.1f} = {parts}"


def preview_as_json(preview: EditionPreview) -> dict[str, object]:
    return {
        "items": preview.items,
        "sources": preview.sources,
        "stories": [
            {
                "headline": story.title,
                "item_ids": [item.id for item in story.items],
                "score": round(story.verdict.score.total, 3),
                "score_parts": score_parts_as_json(story.verdict.score),
                "interests": list(story.reason.interests),
                "dropped": story.dropped,
            }
            for story in preview.stories
        ],
    }
