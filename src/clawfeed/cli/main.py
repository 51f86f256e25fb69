"""The command line: finds the command, prints its errors as one sentence, sets the exit code.

0 done, 1 failed, 2 wrong usage or configuration. Results go to stdout, logs to stderr.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module

import click

from clawfeed import __version__
from clawfeed.cli.terminal.standard_streams import open_missing_streams, sentence_of, silence_stdout
from clawfeed.domain.errors import ClawFeedError, ConfigError

# Which module holds which command, and its line in `--help`, which must not import them all:
# people wait for it. Only the command that runs is imported, with its heavy parts.
COMMANDS = {
    "run": ("clawfeed.cli.serve", "Run everything on one machine."),
    "serve": ("clawfeed.cli.serve", "Serve the API and the pages."),
    "collect": ("clawfeed.cli.collect", "Poll the sources that are due, store what is new."),
    "cron": ("clawfeed.cli.cron", "Bring the editions on, once; or print a timer for it."),
    "source": ("clawfeed.cli.source.group", "Add, show, change, import and export sources."),
    "user": ("clawfeed.cli.user", "Add, list, disable and enable people."),
    "x": ("clawfeed.cli.x", "Let ClawFeed read somebody's own X."),
    "apikey": ("clawfeed.cli.apikey", "Make, list and revoke API keys."),
    "feed-token": ("clawfeed.cli.feed_token", "Make addresses of people's own feeds."),
    "status": ("clawfeed.cli.status.status", "Show how every source is doing, when next, and why."),
    "alarms": ("clawfeed.cli.alarms", "List what is wrong now, and what was."),
    "items": ("clawfeed.cli.items", "List and search what was collected."),
    "digest": ("clawfeed.cli.digest.group", "Make editions, read them, ask why."),
    "channel": ("clawfeed.cli.channel.group", "Say where editions go; test, pause and resume it."),
    "outbox": ("clawfeed.cli.outbox", "See what is on its way to channels; send again, drop."),
    "demo": ("clawfeed.cli.demo", "Show the whole product on a simulated world, offline."),
    "backtest": ("clawfeed.cli.backtest.backtest", "Replay history under each rule for polling."),
    "migrate": ("clawfeed.cli.migrate", "Bring the database to the current schema."),
    "backup": ("clawfeed.cli.backup", "Copy the database into a file, also while it is used."),
    "restore": ("clawfeed.cli.backup", "Put a backup where the database belongs."),
    "doctor": ("clawfeed.cli.doctor", "Show what is set, what is missing, what is unsafe."),
}

# Stopping well, limits for parsers and locks on the database rest on Unix's signals, `resource`
# and `fcntl`: what would start there would break later, or guard less than it says.
NOT_ON_WINDOWS = (
    "ClawFeed does not run on Windows itself; run it there in WSL or in Docker (docs/operating.md)"
)


class LazyGroup(click.Group):
    """Imports a command's module when the command is asked for."""

    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: click.Context | None = None,
        **extra: object,
    ) -> click.Context:
        with _readers_may_leave():  # a help text is printed here
            return super().make_context(info_name, args, parent, **extra)

    def invoke(self, ctx: click.Context) -> object:
        with _readers_may_leave():
            return super().invoke(ctx)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            from difflib import get_close_matches

            near = get_close_matches(args[0], COMMANDS, 1)
            if not near:
                raise
            sentence = f"{error.message} Did you mean '{near[0]}'?"
            raise click.UsageError(sentence, error.ctx) from None

    def list_commands(self, _ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, _ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        module, _ = COMMANDS[name]
        command: click.Command = getattr(import_module(module), name.replace("-", "_"))
        return command

    def format_commands(self, _ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in COMMANDS.items()])


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="clawfeed")
def cli() -> None:
    """Follow many sources, read one short edition a day.

    \b
    First steps:
      clawfeed run       everything, with the pages on http://127.0.0.1:8767
      clawfeed demo      the same on a simulated world, offline
      clawfeed doctor    what is set, what is missing, what is unsafe
    """


def main(arguments: Sequence[str] | None = None, *, platform: str = sys.platform) -> int:
    """Run one command and answer with its exit code; no traceback for what we can name."""
    if platform == "win32":
        print(f"clawfeed: {NOT_ON_WINDOWS}", file=sys.stderr)  # before anything else is loaded
        return 1
    open_missing_streams()
    try:
        code = cli.main(args=arguments, prog_name="clawfeed", standalone_mode=False)
        with suppress(BrokenPipeError):  # a reader who left is no failure
            sys.stdout.flush()
    except click.ClickException as error:
        with suppress(OSError):
            error.show()
        return error.exit_code
    except click.Abort:
        return 130
    except (ClawFeedError, OSError) as error:
        return _told(error)
    return code if isinstance(code, int) else 0


def _told(error: ClawFeedError | OSError) -> int:
    """Complain of *error* in its sentences; the exit code for it."""
    if isinstance(error, ConfigError):
        for problem in error.problems:
            _complain(problem)
        return 2
    sentence = sentence_of(error) if isinstance(error, OSError) else str(error)
    if sentence is None:
        raise error
    if isinstance(error, OSError):
        silence_stdout()
    _complain(sentence)
    return 1


@contextmanager
def _readers_may_leave() -> Iterator[None]:
    """A reader who has seen enough (`| head`) is no failure; click itself would exit with 1."""
    try:
        yield
    except BrokenPipeError as error:
        silence_stdout()
        raise click.exceptions.Exit(0) from error


def _complain(sentence: str) -> None:
    from clawfeed.cli.terminal.width import folded

    with suppress(OSError):  # where nobody listens, the exit code has to do
        print(folded(f"clawfeed: {sentence}", err=True), file=sys.stderr, flush=True)
