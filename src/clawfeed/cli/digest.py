"""`clawfeed digest`: editions, and what they are made from."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import click

from clawfeed.app.config import Config
from clawfeed.cli.numbers import WholeNumber
from clawfeed.cli.startup import load_settings

if TYPE_CHECKING:
    from clawfeed.app.edition_preview import EditionPreview
    from clawfeed.digest.selection import StoryVerdict

LONGEST_HOURS = 24 * 31


@click.group()
def digest() -> None:
    """Editions: what was collected, chosen and put in order.

    \b
    Example:
      clawfeed digest build --dry-run
    """


@digest.command()
@click.option("--dry-run", is_flag=True, help="Show the selection with its scores; store nothing.")
@click.option(
    "--hours",
    type=WholeNumber(1, LONGEST_HOURS),
    default=24,
    show_default=True,
    help="From what came in within so many hours.",
)
@click.option("--all", "everything", is_flag=True, help="Also what was left out, and why.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead.")
def build(*, dry_run: bool, hours: int, everything: bool, as_json: bool) -> None:
    """Choose the stories of an edition of all public sources.

    The same story told by several is one story. Each says what speaks for it: how many publishers
    tell it, how loud it was at its own source, how fresh it is. Only --dry-run is built yet.

    \b
    Example:
      clawfeed digest build --dry-run
      clawfeed digest build --dry-run --hours 168 --all --json
    """
    from clawfeed.app.event_loop import run_async
    from clawfeed.cli.source_output import print_json

    if not dry_run:
        raise click.UsageError("Editions are not stored yet: give --dry-run to see the selection.")
    preview = run_async(_preview(load_settings(), timedelta(hours=hours)))
    if as_json:
        print_json(_as_json(preview))
    else:
        for line in preview_lines(preview, everything=everything):
            click.echo(line)


async def _preview(config: Config, period: timedelta) -> EditionPreview:
    from clawfeed.app.clock import system_clock
    from clawfeed.app.edition_preview import preview_edition
    from clawfeed.app.wiring import existing_database

    now = system_clock()
    async with existing_database(config) as database:
        return await preview_edition(database, since=now - period, now=now)


def preview_lines(preview: EditionPreview, *, everything: bool) -> list[str]:
    """The selection for people, as wide as their terminal."""
    from clawfeed.cli.plurals import counted
    from clawfeed.cli.terminal_width import cut, terminal_width

    width = terminal_width()
    chosen = [each for each in preview.stories if each.verdict.dropped is None]
    left = [each for each in preview.stories if each.verdict.dropped is not None]
    items, sources = counted(preview.items, "item"), counted(preview.sources, "source")
    lines = [f"From {items} of {sources}: {_stories(len(chosen))}", ""]
    for number, story in enumerate(chosen, 1):
        lines += [cut(f"{number:2}. {story.headline}", width), cut(f"    {_why(story)}", width)]
    if left and not everything:
        lines += ["", f"{_stories(len(left))} left out (--all shows them)"]
    for story in left if everything else ():
        lines.append(cut(f" -  {story.headline}", width))
        lines.append(cut(f"    {story.verdict.dropped}: {_why(story)}", width))
    return lines


def _stories(number: int) -> str:
    return "1 story" if number == 1 else f"{number} stories"


def _why(story: StoryVerdict) -> str:
    score = story.verdict.score
    publishers = {teller.publisher for teller in story.verdict.candidate.tellers}
    told = f"{len(publishers)} publishers" if len(publishers) > 1 else story.items[0].source_name
    parts = f"told {score.corroboration:.1f} + loud {score.signal:.1f} + fresh {score.recency:.1f}"
    return f"{score.total:.1f} = {parts} · {told}"


def _as_json(preview: EditionPreview) -> dict[str, object]:
    return {
        "items": preview.items,
        "sources": preview.sources,
        "stories": [
            {
                "headline": story.headline,
                "item_ids": [item.id for item in story.items],
                "score": round(story.verdict.score.total, 3),
                "score_parts": {
                    "corroboration": round(story.verdict.score.corroboration, 3),
                    "signal": round(story.verdict.score.signal, 3),
                    "recency": round(story.verdict.score.recency, 3),
                    "interest": round(story.verdict.score.interest, 3),
                },
                "dropped": story.verdict.dropped,
            }
            for story in preview.stories
        ],
    }
