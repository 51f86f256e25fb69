"""The line of `clawfeed status` about today's edition."""

from __future__ import annotations

from datetime import datetime

import click

from clawfeed.app.status.todays_edition import TodaysEdition
from clawfeed.cli.terminal.times import ago
from clawfeed.cli.terminal.width import cut, terminal_width
from clawfeed.domain.editions.edition import ArticleState, TaskState


def edition_line(edition: TodaysEdition, now: datetime) -> str:
    """Where it is; and whether anybody brings it on."""
    figures = edition.figures
    text = f"edition {edition.date}: {figures.state or 'not begun'}"
    if figures.state is TaskState.PUBLISHED and figures.published_at:
        text += f" {ago(figures.published_at, now)}"
    elif total := sum(figures.articles.values()):
        text += f", {figures.articles[ArticleState.COMPLETED]} of {total} stories written"
        failed = figures.articles[ArticleState.FAILED]
        text += f", {failed} failed" if failed else ""
    if not edition.is_missed:
        return cut(text, terminal_width())
    text += "; nobody triggers it: `clawfeed run` does"
    return click.style(cut(text, terminal_width()), fg="yellow")
