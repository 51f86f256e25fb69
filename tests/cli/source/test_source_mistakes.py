"""`clawfeed source ...` when something is odd: what is said, and that nothing is lost silently."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from clawfeed.cli.main import main
from clawfeed.cli.source.arguments import way_out
from clawfeed.domain.errors import Reason, SourceError
from clawfeed.domain.schedule.interval import LONGEST_MINUTES
from clawfeed.storage.sources.sources import NewSource
from tests.cli.source_command import SourceCommand, feed

TOO_LARGE = "99999999999999999999999"


@pytest.fixture
def house(tmp_path: Path) -> SourceCommand:
    return SourceCommand(tmp_path, {})


@pytest.mark.parametrize("arguments", [("collect", "--source"), ("source", "resume")])
@pytest.mark.parametrize("number", [TOO_LARGE, "0", "two"])
def test_an_id_that_no_source_can_have_is_wrong_usage(
    arguments: tuple[str, ...], number: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*arguments, number]) == 2

    assert f"'{number}' is not the id of a source" in capsys.readouterr().err


def test_check_takes_the_same_ids(house: SourceCommand) -> None:
    largest = str(2**63 - 1)

    beyond, unknown = house("check", TOO_LARGE), house("check", largest)

    assert beyond.returncode == 2
    assert f"'{TOO_LARGE}' is not the id of a source" in beyond.stderr
    assert unknown.stderr == f"clawfeed: there is no source {largest}\n"


def test_a_subreddit_is_one_source_however_it_is_written(house: SourceCommand) -> None:
    """(S001-17)."""
    spellings = ("r/science", "/r/science/", "science")

    first, *others = [house("add", "--type", "reddit", name) for name in spellings]
    by_address = house("add", "--type", "reddit", "https://reddit.com/r/science")

    assert first.stdout == 'added source 1: reddit "r/science" science\n'
    for other in others:
        assert other.stderr == "clawfeed: reddit source 1 (r/science) is the same thing already\n"
    assert "looks like source 1 (r/science)" in by_address.stderr


def test_what_is_said_twice_and_differently_is_wrong_usage(house: SourceCommand) -> None:
    config = '{"url": "https://2.example/feed"}'

    done = house("add", "--type", "rss", "https://1.example/feed", "--config", config)

    assert done.returncode == 2
    assert "The target and --config differ in url" in done.stderr


def test_a_config_may_add_to_a_target_and_repeat_it(house: SourceCommand) -> None:
    config = '{"subreddit": "python", "sort": "new"}'

    done = house("add", "--type", "reddit", "https://reddit.com/r/python", "--config", config)

    assert done.returncode == 0, done.stderr
    [(stored,)] = house.sql("SELECT config FROM sources")
    assert json.loads(stored) == {"subreddit": "python", "sort": "new"}


def test_a_filter_that_finds_nothing_says_what_there_is(house: SourceCommand) -> None:
    house.follow()
    nothing = house("list")
    house.follow(feed(1), NewSource(type="reddit", name="r/a", config={"subreddit": "aa"}))

    healthy, unknown = house("list", "--failing"), house("list", "--type", "nosuch")

    assert nothing.stderr == "no sources; clawfeed source add URL adds one\n"
    assert healthy.stderr == "no source fails\n"
    assert unknown.stderr == "no source of type 'nosuch'; there are reddit, rss\n"
    assert house.json("list", "--type", "nosuch") == []


def test_an_export_of_nothing_is_an_error(house: SourceCommand) -> None:
    house.follow()
    empty = house("export")
    house.follow(NewSource(type="rss", name="A", config={"url": "https://a/"}, is_public=False))

    unknown, private = house("export", "--type", "nosuch"), house("export")

    for done in (empty, unknown, private):
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr.startswith("clawfeed: nothing to export: ")
    assert "there are rss" in unknown.stderr
    assert "--private" in private.stderr


def test_failing_sources_are_listed_with_their_last_error_in_full(house: SourceCommand) -> None:
    """(S001-9)."""
    house.follow(feed(1), feed(2))
    message = "the server answered 404 Not Found, " * 10 + "and that was all"
    error = json.dumps({"message": message, "reason": "gone", "at": "2026-11-15T12:00:00Z"})
    house.sql(f"UPDATE sources SET fetch_error_count = 2, last_error = '{error}' WHERE id = 2")

    failing, everything = house("list", "--failing"), house("list")

    assert failing.stdout.splitlines()[2] == f"    {message} (gone)"
    assert len(failing.stdout.splitlines()) == 3
    assert message not in everything.stdout


@pytest.mark.parametrize("more", [(), ("--no-check",), ("--type", "rss")])
def test_what_the_guard_refuses_is_not_added_and_the_way_out_is_named(
    house: SourceCommand, more: tuple[str, ...]
) -> None:
    """(T8): whether it is polled or not."""
    done = house("add", "http://127.0.0.1:9911/feed", *more)

    assert done.returncode == 1
    assert "not public (loopback)" in done.stderr
    assert done.stderr.endswith(" EGRESS_ALLOW=127.0.0.1:9911 would allow it.\n")
    assert house.sql("SELECT count(*) FROM sources") == [(0,)]


def test_the_way_out_is_one(house: SourceCommand) -> None:
    address = "http://[::1]:9911/feed"

    refused = house("add", address, "--no-check")
    setting = refused.stderr.split("EGRESS_ALLOW=")[1].split()[0]
    allowed = house("add", address, "--no-check", EGRESS_ALLOW=setting)

    assert setting == "[::1]:9911"
    assert allowed.returncode == 0, allowed.stderr


@pytest.mark.parametrize(
    ("refused", "place"),
    [
        (("127.0.0.1", 9911), "http://127.0.0.1/feed"),  # it redirects to another port
        (("127.0.0.1", 80), "http://public.example/feed"),  # or to another host
        (("127.0.0.1", 80), "an aquarium"),  # a plug-in's place
        (None, "http://127.0.0.1/feed"),
    ],
)
def test_what_somebody_else_led_us_to_has_no_way_out(
    refused: tuple[str, int] | None, place: str
) -> None:
    """Whatever the refusal's sentence names: a stranger must not choose what is allowed (T8)."""
    detail = "127.0.0.1 leads to an address that is not public (loopback)."

    assert way_out(SourceError(Reason.BLOCKED, detail, refused=refused), place) == ""


@pytest.mark.parametrize("more", [(), ("--type", "rss")])
def test_a_check_in_vain_is_json_too(house: SourceCommand, more: tuple[str, ...]) -> None:
    plain = house("check", "http://127.0.0.1:9911/x", *more)
    as_json = house("check", "http://127.0.0.1:9911/x", *more, "--json")

    report = json.loads(as_json.stdout)
    assert (plain.returncode, as_json.returncode, as_json.stderr) == (1, 1, "")
    assert plain.stderr.endswith(" EGRESS_ALLOW=127.0.0.1:9911 would allow it.\n")
    assert (report["ok"], report["reason"], report["items"]) == (False, "blocked", [])
    assert report["type"] == (more[1] if more else None)
    assert report["hints"] == ["EGRESS_ALLOW=127.0.0.1:9911 would allow it."]


@pytest.mark.parametrize("more", [(), ("--no-check",)])
def test_what_is_no_handle_is_told_what_one_is(house: SourceCommand, more: tuple[str, ...]) -> None:
    done = house("add", "@@x", *more)

    assert done.returncode == 1
    assert "a handle on X is" in done.stderr
    assert "password" not in done.stderr


def test_an_interval_has_one_limit(house: SourceCommand) -> None:
    address, limit = "https://1.example/feed", str(LONGEST_MINUTES)

    done = house("add", address, "--no-check", "--interval", limit)
    beyond = main(["source", "add", address, "--interval", str(LONGEST_MINUTES + 1)])

    assert done.returncode == 0, done.stderr
    assert beyond == 2


def test_entries_without_a_feed_are_counted(house: SourceCommand) -> None:
    (house.folder / "list.opml").write_text(
        '<opml><body><outline text="Folder"><outline text="A" xmlUrl="https://a.example/f"/>'
        '<outline text="B" type="link" url="https://b.example/"/></outline>'
        '<outline text="C" type="include" url="https://c.example/c.opml"/>'
        '<outline text="D" htmlUrl="https://d.example/"/><outline text="a note"/></body></opml>'
    )

    done, again = house("import", "list.opml"), house.json("import", "list.opml")

    assert (
        done.stdout
        == "1 added, 0 already there, 0 refused, 3 without a feed left out, 1 pack filled\n"
    )
    assert again["without_feed"] == 3


def test_a_refused_entry_is_shown_with_its_config(house: SourceCommand) -> None:
    config = '{"subreddit": "not one!"}'.replace('"', "&quot;")
    (house.folder / "list.opml").write_text(
        '<opml xmlns:clawfeed="urn:clawfeed:opml"><body>'
        f'<outline text="d" clawfeed:type="reddit" clawfeed:config="{config}"/>'
        '<outline text="e" clawfeed:type="reddit" clawfeed:config="{{"/></body></opml>'
    )

    done = house("import", "list.opml")

    first, second, _ = done.stdout.splitlines()
    assert first.startswith('refused: reddit "d" not one!: subreddit must be')
    assert second.startswith('refused: reddit "e": a config must be valid JSON')


@pytest.mark.parametrize(
    ("place", "sentence"),
    [
        ("page.opml", "page.opml cannot be read: this is a web page, not an OPML list\n"),
        (".", ". cannot be read: Is a directory\n"),
    ],
)
def test_a_list_that_cannot_be_read_is_named(
    house: SourceCommand, place: str, sentence: str
) -> None:
    (house.folder / "page.opml").write_text("<html></html>")

    done = house("import", place)

    assert (done.returncode, done.stderr) == (1, f"clawfeed: {sentence}")


def test_an_address_of_a_list_is_named_without_its_secrets(house: SourceCommand) -> None:
    """(T17)."""
    done = house("import", "http://127.0.0.1:9911/?token=canary")

    assert done.returncode == 1
    assert done.stderr.startswith("clawfeed: http://127.0.0.1:9911/?token=*** cannot be read: ")
    assert done.stderr.endswith(" EGRESS_ALLOW=127.0.0.1:9911 would allow it.\n")


def test_no_list_at_all_is_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["source", "import", " "]) == 2

    assert "Give a file" in capsys.readouterr().err
