"""`clawfeed channel`, on kinds of the tests' own; no secret in arguments, output or log."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from clawfeed.cli.backup import backup
from clawfeed.cli.channel.group import channel
from clawfeed.domain.errors import ClawFeedError, Reason
from clawfeed.publish.message import SendError
from tests.support.channel_kinds import Loft, kinds_sending_to

SECRET = "canary-51a7"  # noqa: S105 -- what must not be seen
Run = Callable[..., Result]


@pytest.fixture
def loft() -> Loft:
    return Loft()


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, loft: Loft) -> Run:
    """`clawfeed channel ...` in a folder of its own, its errors as exceptions."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("EMAIL_FROM", "us@example.org")
    (tmp_path / "token.txt").write_text(f"{SECRET}\n")

    def invoke(*arguments: str, stdin: str = "") -> Result:
        result = CliRunner().invoke(
            channel, arguments, obj=kinds_sending_to(loft), input=stdin, standalone_mode=False
        )
        assert SECRET not in result.output + str(result.exception)
        return result

    return invoke


def told(result: Result) -> str:
    assert isinstance(result.exception, click.ClickException | ClawFeedError), result.output
    return str(getattr(result.exception, "message", result.exception))


ADD = ("add", "pigeon", "Loft 7", "--secret", "token=token.txt")


def test_a_channel_lives_from_add_to_remove(run: Run, loft: Loft, tmp_path: Path) -> None:
    added = run(
        *ADD, "--name", "My loft", "--set", "town=Ghent", "--types", "weekly,daily", "--at",
        "07:30",
        "--quiet", "22:00-07:00", "--zone", "Europe/Berlin", "--language", "zh", "--alarms",
    )  # fmt: skip
    listed = run("list")
    tested = run("test", "1")
    edited = run("edit", "1", "--at", "never", "--name", "Ours", "--json")
    paused = run("pause", "1")
    shown = run("show", "1")
    resumed = run("resume", "1", "--json")
    removed = run("remove", "1")
    empty = run("list", "--json")

    assert added.output.startswith('added pigeon channel 1 "My loft" loft 7; ')
    assert listed.output.splitlines()[1].split() == [
        "1", "pigeon", "admin@localhost", "My", "loft", "loft", "7", "daily,", "weekly", "active",
    ]  # fmt: skip
    assert tested.output == "the test arrived\n"
    [(target, message)] = loft.received
    assert {name: each.reveal() for name, each in target.secrets.items()} == {"token": SECRET}
    assert message.payload.startswith("ClawFeed 可以送达此频道")
    changed = json.loads(edited.output)
    assert (changed["name"], changed["delivery_time"], changed["quiet_from"]) == (
        "Ours",
        None,
        "22:00",
    )
    assert (changed["config"], changed["has_secrets"]) == ({"town": "Ghent"}, ["token"])
    assert paused.output == "paused channel 1\n"
    assert ("  state     paused" in shown.output, "  secrets   token" in shown.output) == (
        True,
        True,
    )
    assert json.loads(resumed.output) == {"resumed": [1]}
    assert removed.output == "removed channel 1\n"
    assert json.loads(empty.output) == {"channels": []}
    stored = b"".join(each.read_bytes() for each in (tmp_path / "data").iterdir())
    assert SECRET.encode() not in stored


def test_a_test_that_does_not_arrive_says_why_and_ends_with_1(run: Run, loft: Loft) -> None:
    run("add", "pigeon", "loft 7", "--everybody", "--secret", "token=-", stdin=SECRET)
    loft.failure = SendError(Reason.UNREACHABLE, "port 22 is closed")

    tested = run("test", "1")

    assert (tested.output, tested.return_value) == ("port 22 is closed\n", 1)
    assert json.loads(run("list", "--everybody", "--json").output)["channels"][0]["for_everybody"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("add", "raven", "x"), "there is no kind of channel 'raven'"),
        (("add", "pigeon", "loft 7"), "There is no terminal to ask for token"),
        (("add", "pigeon", "loft 7", "--secret", f"token={SECRET}"), "never from the command line"),
        (("add", "pigeon", "loft 7", "--secret", SECRET), "write it as NAME=FILE"),
        ((*ADD, "--secret", "seal=token.txt"), "there are token, whistle"),
        (("add", "pigeon", "loft 7", "--secret", "tokn=token.txt"), "there are token, whistle"),
        ((*ADD, "--everybody", "--user", "anna@example.org"), "not both"),
        ((*ADD, "--user", "anna@example.org"), "has no account"),
        ((*ADD, "--set", "town"), "KEY=VALUE"),
        ((*ADD, "--types", "hourly"), "'hourly' is none of 4h, daily, weekly, monthly, none"),
        ((*ADD, "--at", "7:30"), "write it like 07:30"),
        ((*ADD, "--quiet", "22:00"), "write it like 22:00-07:00"),
        ((*ADD, "--zone", "Mars/Olympus"), "no such time zone"),
        (("edit", "1"), "Say what to change"),
        (("show", "nine"), "'nine' is not the id of a channel"),
    ],
)
def test_what_cannot_be_is_one_sentence(
    run: Run, arguments: tuple[str, ...], sentence: str
) -> None:
    assert sentence in told(run(*arguments))


def test_an_address_that_is_a_secret_is_not_taken_from_the_command_line(run: Run) -> None:
    """Nothing of it is repeated either: where it stands others may read it."""
    del run  # its folder and settings
    hook = "https://hooks.example/secret-part"

    result = CliRunner().invoke(channel, ["add", "slack", hook], standalone_mode=False)

    assert told(result).startswith("Leave ADDRESS out: that of a slack channel is a secret")
    assert "secret-part" not in told(result)


def test_what_is_not_there_is_not_found_and_nothing_else_is_touched(run: Run) -> None:
    run(*ADD)

    missing = run("pause", "1", "9")

    assert told(missing) == "there is no channel 9"
    assert json.loads(run("show", "1", "--json").output)["state"] == "active"


def test_a_channel_elsewhere_needs_its_secret_again(run: Run, loft: Loft) -> None:
    run(*ADD)

    refused = run("edit", "1", "--address", "loft 8")
    moved = run("edit", "1", "--address", "loft 8", "--secret", "token=-", stdin="other\n")
    run("test", "1")

    assert "secrets.token: it must be entered again" in told(refused)
    assert moved.output.startswith('changed pigeon channel 1 "Pigeon" loft 8; ')
    assert loft.received[0][0].secrets["token"].reveal() == "other"


def test_a_backup_says_that_the_key_belongs_to_it(run: Run) -> None:
    run("add", "bottle", "x", "--everybody", "--set", "town=Ghent")  # of no secret: no key yet
    before = CliRunner().invoke(backup, ["one.db"])
    run(*ADD)

    after = CliRunner().invoke(backup, ["two.db"])

    assert (before.exit_code, before.stderr) == (0, "")
    assert (after.exit_code, "clawfeed.db.key, too" in after.stderr) == (0, True)
