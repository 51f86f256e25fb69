"""`clawfeed digest why`: why a story is in an edition, or why it was left out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from clawfeed.app.settings.config import Config
from clawfeed.cli.startup import load_settings
from clawfeed.cli.terminal import options
from clawfeed.cli.terminal.number_arguments import STORY_ID
from clawfeed.domain.ids import StoryId

if TYPE_CHECKING:
    from clawfeed.storage.digests.story_outcomes import StoryReport


@click.command()
@click.argument("story_id", type=STORY_ID, metavar="STORY_ID")
@click.option("--user", "email", metavar="EMAIL", help="Also of editions of this reader.")
@options.json_object
def why(*, story_id: int, email: str | None, as_json: bool) -> None:
    """Tell why a story is in its last edition or was left out, by which score, and when told.

    `clawfeed digest show --format json` has the ids, also of what was left out.

    \b
    Example:
      clawfeed digest why 42
      clawfeed digest why 42 --json
    """
    from clawfeed.app.processes.event_loop import run_async
    from clawfeed.cli.terminal.printing import print_json

    config = load_settings()
    report = run_async(_read(config, StoryId(story_id), email))
    if as_json:
        print_json(_as_json(report))
    else:
        click.echo("\n".join(_lines(report, config.timezone)))


async def _read(config: Config, story: StoryId, email: str | None) -> StoryReport:
    from clawfeed.app.wiring.entry_points import existing_database
    from clawfeed.cli.person_arguments import reader_named
    from clawfeed.domain.editions.edition import SYSTEM_SCOPE
    from clawfeed.domain.errors import NotFoundError
    from clawfeed.storage.digests.digests import DigestStore
    from clawfeed.storage.digests.story_outcomes import story_report

    async with existing_database(config) as database:
        reader = await reader_named(database, email)
        found = await story_report(database, story)
        is_readable = found is not None and found.story.scope == SYSTEM_SCOPE
        if found is not None and found.digest_id is not None and not is_readable:
            digest = await DigestStore(database).get(found.digest_id, reader)
            is_readable = digest is not None
    if found is None or not is_readable:
        raise NotFoundError(
            f"no edition of the last two weeks considered a story {story}; "
            "--user EMAIL looks among a reader's own, too"
        )
    return found


def _lines(report: StoryReport, timezone: str) -> list[str]:
    from clawfeed.app.processes.logging_setup import one_line
    from clawfeed.cli.digest.preview import score_words
    from clawfeed.cli.terminal.times import local
    from clawfeed.cli.terminal.width import folded
    from clawfeed.rendering.wording import ENGLISH

    edition = f"the {report.type} edition {report.period}"
    verdict = f"it is in {edition}"
    if report.dropped is not None:
        verdict = f"it was left out of {edition}: {ENGLISH.dropped[report.dropped]}"
    seen = f"{local(report.story.first_seen_at, timezone)}"
    lines = [
        folded(f"story {report.story.id}: {one_line(report.story.title)}"),
        folded(verdict, start="  verdict     "),
        f"  score       {score_words(report.score)}",
        f"  first seen  {seen}",
    ]
    for telling in report.timeline:
        told = f"{one_line(telling.headline)} (edition {telling.digest_id})"
        lines.append(folded(told, start=f"  told        {local(telling.told_at, timezone)}  "))
    return lines


def _as_json(report: StoryReport) -> dict[str, object]:
    from clawfeed.api.editions.digest_json import telling_as_json
    from clawfeed.domain.moments import iso
    from clawfeed.rendering.json_edition import score_as_json

    return {
        "story_id": report.story.id,
        "headline": report.story.title,
        "type": str(report.type),
        "period": report.period,
        "digest_id": report.digest_id,
        "is_in": report.dropped is None,
        "dropped": None if report.dropped is None else str(report.dropped),
        "score": score_as_json(report.score),
        "first_seen_at": iso(report.story.first_seen_at),
        "timeline": [telling_as_json(each) for each in report.timeline],
    }
