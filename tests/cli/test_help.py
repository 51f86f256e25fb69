"""The help of every command, as a terminal shows it."""

from __future__ import annotations

from collections.abc import Iterator
from inspect import cleandoc

import click
import pytest

from clawfeed.cli.main import cli


def commands(command: click.Command, context: click.Context) -> Iterator[click.Context]:
    """The context of *command* and of all commands below it."""
    yield context
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            yield from commands(below, click.Context(below, info_name=name, parent=context))


CONTEXTS = {
    each.command_path: each for each in commands(cli, click.Context(cli, info_name="clawfeed"))
}


def test_the_walk_finds_commands_below_commands() -> None:
    assert {"clawfeed", "clawfeed demo", "clawfeed source add"} <= CONTEXTS.keys()


@pytest.mark.parametrize("path", CONTEXTS)
def test_examples_stay_lines_of_their_own(path: str) -> None:
    context = CONTEXTS[path]
    written = cleandoc(context.command.help or "").splitlines()
    examples = [line for line in written if line.startswith("  ")]

    shown = context.get_help()

    assert examples
    assert "\b" not in shown
    assert "\\b" not in shown
    for example in examples:
        assert f"  {example}" in shown.splitlines()


@pytest.mark.parametrize("path", CONTEXTS)
def test_no_line_of_the_help_wraps_and_no_sentence_is_cut(path: str) -> None:
    """On 80 columns, whatever the terminal of who runs the test."""
    context = CONTEXTS[path]
    written = cleandoc(context.command.help or "")
    narrow = click.Context(
        context.command, info_name=context.info_name, parent=context.parent, terminal_width=80
    )

    _usage, *shown = narrow.get_help().splitlines()

    assert [line for line in shown if len(line) > 80] == []
    assert [line for line in shown if line.endswith("...") and line.strip() not in written] == []
