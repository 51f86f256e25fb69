"""`clawfeed digest`: editions made, read and explained by command."""

from __future__ import annotations

import json
import os
from collections.abc import Awaitable, Callable
from datetime import timedelta
from pathlib import Path

import pytest

from clawfeed.app.clock import system_clock
from clawfeed.app.processes.event_loop import run_async
from clawfeed.app.settings.config_loading import load_config
from clawfeed.app.wiring.editions import opened_editions
from clawfeed.app.wiring.entry_points import opened_database
from clawfeed.cli.main import main
from clawfeed.domain.editions.edition_period import EditionType
from clawfeed.domain.editions.interests import Interest, InterestKind
from clawfeed.storage.database import Database
from clawfeed.storage.editions.edition_claims import EditionClaims
from clawfeed.storage.editions.interests import InterestStore
from clawfeed.storage.leases import Holder
from clawfeed.storage.people.users import NewUser, UserStore
from clawfeed.storage.sources.subscriptions import SubscriptionStore
from tests.support.html_pages import HtmlPage
from tests.support.items import add_item, add_source

TOLD = {
    "one": "Ferry strike stops all traffic to the islands",
    "two": "All ferry traffic to the islands stops in strike",
    "three": "Orchestra names a conductor from its own ranks",
}
ANNA, BEN = "anna@example.org", "ben@example.org"


pytestmark = pytest.mark.usefixtures("house")
Captured = pytest.CaptureFixture[str]


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three public sources with an item of today each; Anna has muted the ferry."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DATABASE_URL", f"sqlite:///{tmp_path}/clawfeed.db")
    monkeypatch.setenv("LOG_LEVEL", "warning")

    async def fill() -> None:
        now = system_clock()
        async with opened_database(load_config(os.environ, directory=tmp_path)) as database:
            sources = [await add_source(database, name) for name in TOLD]
            for source, title in zip(sources, TOLD.values(), strict=True):
                await add_item(database, source, title, at=now - timedelta(hours=1))
            await add_item(database, sources[-1], "Long ago", at=now - timedelta(days=3))
            anna = await UserStore(database).add(NewUser(email=ANNA, name="Anna"), now=now)
            await SubscriptionStore(database).change(anna.id, add=sources, now=now)
            muted = Interest(kind=InterestKind.MUTED, text="ferry")
            await InterestStore(database).replace(anna.id, [muted], now=now)

    run_async(fill())


def test_what_two_tell_comes_first_and_says_why(capsys: Captured) -> None:
    """(S001-19): the same story is told once, and older news not at all."""
    assert main(["digest", "build", "--dry-run"]) == 0

    first, _, best, why, *rest = capsys.readouterr().out.splitlines()
    assert first == "From 3 items of 3 sources: 2 stories"
    assert best[4:] in TOLD.values()
    assert why.endswith(" = told 1.0 + loud 0.0 + fresh 0.9 · 2 publishers")
    assert rest[0] == " 2. Orchestra names a conductor from its own ranks"


def test_scripts_get_every_story_with_the_parts_of_its_score(capsys: Captured) -> None:
    assert main(["digest", "build", "--dry-run", "--hours", "100", "--json"]) == 0

    found = json.loads(capsys.readouterr().out)
    assert (found["items"], found["sources"]) == (4, 3)
    assert {each["dropped"] for each in found["stories"]} == {None, "below_floor"}
    assert set(found["stories"][0]["score_parts"]) == {
        "corroboration", "signal", "recency", "interest", "lasting",
    }  # fmt: skip


def test_a_readers_selection_goes_by_their_interests(capsys: Captured) -> None:
    assert main(["digest", "build", "--dry-run", "--user", ANNA, "--all"]) == 0

    said = capsys.readouterr().out
    assert said.startswith("From 3 items of 3 sources: 1 story\n")
    assert "    muted: " in said


def test_an_edition_is_built_once_and_printed_each_time(capsys: Captured) -> None:
    """(I6): with progress on stderr, and the same edition from then on."""
    assert main(["digest", "build"]) == 0
    first = capsys.readouterr()
    assert main(["digest", "build"]) == 0
    second = capsys.readouterr()

    assert "\nFrom 3 items of 3 sources: 2 stories, 1 minute\n" in first.out
    assert "Why it is here: told by 2 publishers" in first.out
    assert "fetch list -> list_fetched" in first.err
    assert "publish -> published" in first.err
    assert (second.out, second.err) == (first.out, "")


def test_the_channels_of_the_settings_get_what_is_built_before_anything_ran(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """(S002-7): it is published once, so who is not there when it is written never gets it."""
    monkeypatch.setenv("SLACK_WEBHOOK_URL", "http://127.0.0.1:1/hook")  # refused: nobody waits

    assert main(["digest", "build"]) == 0

    async def tried() -> list[tuple[str, int]]:
        async with opened_database(load_config(os.environ, directory=tmp_path)) as database:
            rows = await database.read(
                "SELECT c.kind, o.attempts FROM outbox o JOIN channels c ON c.id = o.channel_id"
            )
            return [(row["kind"], row["attempts"]) for row in rows]

    assert run_async(tried()) == [("slack", 1)]


@pytest.mark.parametrize("level", [None, "info"])
def test_progress_is_told_once_unless_the_log_is_asked_for(
    capsys: Captured, monkeypatch: pytest.MonkeyPatch, level: str | None
) -> None:
    monkeypatch.delenv("LOG_LEVEL")
    if level:
        monkeypatch.setenv("LOG_LEVEL", level)

    assert main(["digest", "build"]) == 0

    said = capsys.readouterr().err
    assert said.count("publish -> published") == 1
    assert ("edition triggered" in said) is (level is not None)


def test_a_readers_own_edition_is_theirs(capsys: Captured) -> None:
    """(S001-19): it is shown for them alone."""
    assert main(["digest", "build", "--user", ANNA, "--json"]) == 0
    made = json.loads(capsys.readouterr().out)
    assert main(["digest", "show", str(made["id"])]) == 1
    refused = capsys.readouterr()
    assert main(["digest", "show", "--user", ANNA]) == 0
    shown = capsys.readouterr().out

    assert made["is_own"] is True
    assert [story["headline"] for story in made["stories"]] == [TOLD["three"]]
    assert "is everybody's; --user EMAIL shows a reader's" in refused.err
    assert "1 story: a word you muted." in shown


@pytest.mark.parametrize("form", ["text", "markdown", "html", "json"])
def test_an_edition_is_shown_in_the_form_one_likes(capsys: Captured, form: str) -> None:
    main(["digest", "build"])
    capsys.readouterr()
    assert main(["digest", "show", "latest", "--format", form]) == 0

    shown = capsys.readouterr().out
    match form:
        case "json":
            assert json.loads(shown)["numbers"]["stories"] == 2
        case "html":
            assert HtmlPage(shown).texts("h3") != []
            assert HtmlPage(shown).count("link, script, style") == 0
        case "markdown":
            assert shown.startswith("# ")
            assert "\n### 1\\. " in shown
        case _:
            assert "\n 1. " in shown


def test_editions_are_listed(capsys: Captured) -> None:
    assert main(["digest", "list"]) == 0
    nothing = capsys.readouterr()
    main(["digest", "build"])
    main(["digest", "build", "--user", ANNA])
    capsys.readouterr()
    assert main(["digest", "list"]) == 0
    table = capsys.readouterr().out.splitlines()
    assert main(["digest", "list", "--user", ANNA, "--type", "daily", "--json"]) == 0
    heads = json.loads(capsys.readouterr().out)

    assert nothing.err == "no editions yet; clawfeed digest build makes one\n"
    assert table[0].split() == ["ID", "TYPE", "PERIOD", "WHOSE", "MADE", "TITLE"]
    assert len(table) == 2
    assert [head["is_own"] for head in heads] == [True, False]


def test_a_story_says_why_it_is_in_and_another_why_not(capsys: Captured) -> None:
    main(["digest", "build", "--user", ANNA, "--json"])
    own = json.loads(capsys.readouterr().out)["stories"][0]["story_id"]
    main(["digest", "build", "--json"])
    story = json.loads(capsys.readouterr().out)["stories"][0]["story_id"]
    assert main(["digest", "why", str(story)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert main(["digest", "why", str(story), "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    refused = main(["digest", "why", str(own)])
    theirs = main(["digest", "why", str(own), "--user", ANNA])

    assert lines[0].startswith(f"story {story}: ")
    assert lines[1].startswith("  verdict     it is in the daily edition ")
    assert lines[2].startswith("  score       1.9 = told 1.0 + loud 0.0 + fresh 0.9")
    assert lines[-1].startswith("  told        ")
    assert (report["is_in"], report["dropped"]) == (True, None)
    assert (refused, theirs) == (1, 0)


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (["digest", "show"], 1, "there is no daily edition yet: `clawfeed digest build` makes one"),
        (["digest", "show", "7"], 1, "there is no edition 7"),
        (["digest", "show", "yesterday"], 2, "`clawfeed digest list` has them"),
        (["digest", "show", "--format", "pdf"], 2, "'pdf'"),
        (["digest", "why", "0"], 2, "'0' is not the id of a story"),
        (["digest", "why", "42"], 1, "considered a story 42"),
        (["digest", "build", "--type", "weekly"], 1, "`clawfeed digest list --type daily`"),
        (["digest", "build", "--hours", "5"], 2, "--hours goes with --dry-run"),
        (["digest", "build", "--all"], 2, "--all goes with --dry-run"),
        (["digest", "build", "--dry-run", "--type", "weekly"], 2, "leave out --type"),
        (["digest", "build", "--user", BEN], 1, f"{BEN} has no account"),
        (["digest", "list", "--type", "hourly"], 2, "'hourly'"),
    ],
)
def test_a_mistake_is_one_sentence_with_the_way_out(
    capsys: Captured, arguments: list[str], code: int, told: str
) -> None:
    assert main(arguments) == code

    said = capsys.readouterr()
    assert said.out == ""
    assert told in said.err
    assert "Traceback" not in said.err


def _change(change: Callable[[Database], Awaitable[object]]) -> None:
    async def run() -> None:
        async with opened_database(load_config(os.environ, directory=Path.cwd())) as database:
            await change(database)

    run_async(run())


def test_an_edition_that_somebody_else_makes_is_not_called_empty(capsys: Captured) -> None:
    """(S002-10)."""

    async def take(database: Database) -> None:
        holder = Holder(worker="another", lease=timedelta(minutes=9))
        async with opened_editions(
            load_config(os.environ, directory=Path.cwd()), database
        ) as editions:
            task = await editions.triggers.system_task(EditionType.DAILY)
        assert task
        assert await EditionClaims(database).claim(task.id, holder)

    _change(take)

    assert main(["digest", "build"]) == 1
    assert "`clawfeed status` shows how far it is" in capsys.readouterr().err


def test_who_follows_nothing_is_told_so(capsys: Captured) -> None:
    async def add_ben(database: Database) -> None:
        await UserStore(database).add(NewUser(email=BEN, name="Ben"), now=system_clock())

    _change(add_ben)

    assert main(["digest", "build", "--user", BEN]) == 1
    assert f"{BEN} follows nothing" in capsys.readouterr().err


def test_a_house_without_sources_is_told_to_add_one(
    capsys: Captured, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE_URL", f"sqlite:///{tmp_path}/empty.db")
    assert main(["migrate"]) == 0

    assert main(["digest", "build"]) == 1
    assert "`clawfeed source add URL`" in capsys.readouterr().err
