"""A command with siblings below it, each listed with its whole sentence."""

from __future__ import annotations

import click

# Longer than any of ours: click would cut each to what is left of its line, in mid-sentence.
HELP_WIDTH = 1000


class CommandGroup(click.Group):
    """Like click's, but for the list of commands, and in the order they were given in."""

    def list_commands(self, _ctx: click.Context) -> list[str]:
        return list(self.commands)

    def format_commands(self, _ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(
                [
                    (name, each.get_short_help_str(HELP_WIDTH))
                    for name, each in self.commands.items()
                ]
            )
