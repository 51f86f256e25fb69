"""A crontab line and systemd units that trigger editions as this installation would (S002-1)."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from clawfeed.domain.errors import ConfigError

MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
UNIT = "clawfeed-cron"


@dataclass(frozen=True, slots=True, kw_only=True)
class Installation:
    """What a timer must know: which command, where it finds its settings, how often, as whom.

    *unseen* are settings that only this shell has: no timer would see them.
    """

    command: tuple[str, ...]
    directory: Path
    every: timedelta
    user: str
    unseen: tuple[str, ...] = ()


def running_command(argv0: str, executable: str) -> tuple[str, ...]:
    """The command that runs now, as one that works from anywhere."""
    script = Path(argv0)
    if script.name == "clawfeed" and script.exists():
        return (str(script.absolute()),)
    return (executable, "-m", "clawfeed.cli")


def crontab(here: Installation) -> str:
    """Lines for `crontab -e`.

    cron mails whatever is written: the result goes nowhere, the log tells only what goes wrong.
    """
    go = f"cd {shlex.quote(str(here.directory))}"
    trigger = f"{shlex.join(here.command)} cron"
    # An unescaped % is a line break there.
    command = f"{go} && LOG_LEVEL=warning {trigger} >/dev/null".replace("%", "\\%")
    _require_one_line(command)
    notes = [*_notes(here), *_cron_cannot_say(here.every)]
    return "".join(f"# {line}\n" for line in notes) + f"{_dates(here.every)} {command}\n"


def systemd(here: Installation) -> str:
    """A service and its timer, each below the path it belongs to."""
    # systemd runs no program with a quote in its path, and expands variables in arguments alone.
    env = ("/usr/bin/env",) if set("\"'\\$") & set(here.command[0]) else ()
    words = [_unit_word(each) for each in (*env, *here.command)]
    directory = str(here.directory).replace("%", "%%")
    _require_one_line(" ".join([*words, directory]))
    notes = "".join(f"# {line}\n" for line in _notes(here))
    return f"""\
# /etc/systemd/system/{UNIT}.service
{notes}[Unit]
Description=ClawFeed: one trigger of the editions
Wants=network-online.target
After=network-online.target

[Service]
Type=oneshot
User={here.user}
WorkingDirectory={directory}
ExecStart={" ".join([*words, "cron"])}
UMask=0077
NoNewPrivileges=yes
TimeoutStopSec=45

# /etc/systemd/system/{UNIT}.timer
[Unit]
Description=ClawFeed: editions, {_spoken(here.every)}

[Timer]
OnBootSec=1min
OnUnitActiveSec={here.every // MINUTE}min
AccuracySec=1s

[Install]
WantedBy=timers.target
"""


def _notes(here: Installation) -> list[str]:
    notes = [f"ClawFeed: brings editions on, {_spoken(here.every)} (CRON_INTERVAL_MINUTES)."]
    if here.unseen:
        notes.append(f"Put these into .env, a timer does not see them: {', '.join(here.unseen)}")
    return notes


def _spoken(every: timedelta) -> str:
    minutes = every // MINUTE
    return "every minute" if minutes == 1 else f"every {minutes} minutes"


def _dates(every: timedelta) -> str:
    """Five fields that come as often as asked for, or more often where cron cannot say it."""
    if every < HOUR:
        minutes = every // MINUTE
        return "* * * * *" if minutes == 1 else f"*/{minutes} * * * *"
    if every >= DAY:
        return "0 0 * * *"
    hours = every // HOUR
    return "0 * * * *" if hours == 1 else f"0 */{hours} * * *"


def _cron_cannot_say(every: timedelta) -> list[str]:
    """A word where the line comes more often than was asked for; that does no harm."""
    minutes = every // MINUTE
    is_exact = DAY % every == timedelta(0) and (every >= HOUR or HOUR % every == timedelta(0))
    if is_exact and (every < HOUR or every % HOUR == timedelta(0)):
        return []
    return [f"cron has no way to say {minutes} minutes: this comes a little more often."]


def _unit_word(text: str) -> str:
    """One word of a command line in a unit (systemd.syntax(7)), % being its own sign."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    escaped = escaped.replace("%", "%%").replace("$", "$$")
    return f'"{escaped}"' if _needs_quotes(text) else escaped


def _needs_quotes(text: str) -> bool:
    return any(character.isspace() or character in "\"'\\;" for character in text)


def _require_one_line(text: str) -> None:
    if not text.isprintable():
        raise ConfigError("a path here has a line break or the like in it: no timer can name it")


def unseen_settings(origins: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    """Of names and where each was set: those that only the environment has."""
    return tuple(name for name, origin in origins if origin == "environment")
