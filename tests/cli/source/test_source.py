"""`clawfeed source ...` as people meet it, with a real origin on loopback."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import click
import pytest

from clawfeed.cli.main import main
from clawfeed.cli.source.group import source as source_group
from clawfeed.domain.ids import JsonValue
from clawfeed.rendering.text_width import cells
from clawfeed.simulator import read_journal, settings
from clawfeed.storage.sources.sources import NewSource
from tests.cli.source_command import SourceCommand, feed
from tests.support.in_process import run_here
from tests.support.processes import COMMAND, clean_environment

# They need a world in a process of its own; `make test` runs them.
pytestmark = pytest.mark.slow

CANARY = "canary5d1c9a7e2b"


class Origin(NamedTuple):
    url: str
    journal: Path


@pytest.fixture(scope="module")
def origin(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Origin]:
    """The demo's world in a process of its own."""
    journal = tmp_path_factory.mktemp("origin") / "journal.jsonl"
    process = subprocess.Popen(
        [sys.executable, "-m", "clawfeed.simulator", "--journal", str(journal)],
        env=clean_environment(),
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    yield Origin(json.loads(process.stdout.readline())["url"], journal)
    process.terminate()
    process.wait(10)
    process.stdout.close()


@pytest.fixture
def house(tmp_path: Path, origin: Origin) -> SourceCommand:
    return SourceCommand(tmp_path, settings(origin.url))


@pytest.mark.parametrize("name", ["add", "list", "check", "resume", "import", "export"])
def test_every_subcommand_helps_with_an_example(name: str) -> None:
    command = source_group.commands[name]

    text = command.get_help(click.Context(command, info_name=name))

    assert f"clawfeed source {name}" in text.split("Example:")[1]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("add",), "Give an address"),
        (("add", "  "), "Give an address"),
        (("add", "--config", "{}"), "--config needs --type"),
        (("add", "--type", "rss", "--config", "{'url'"), "must be valid JSON"),
        (("add", "--type", "rss", "--config", "[]"), "JSON object"),
        (("add", "https://a.example/", "--interval", "0"), "--interval"),
        (("resume",), "Give the ids"),
        (("resume", "1", "--all-failed"), "Give the ids"),
        (("resume", "x"), "not the id of a source"),
        (("check",), "Give an address"),
    ],
)
def test_wrong_usage_is_exit_2(
    arguments: tuple[str, ...], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["source", *arguments]) == 2

    assert sentence in capsys.readouterr().err


def test_an_address_is_found_out_named_and_added_once(house: SourceCommand, origin: Origin) -> None:
    """(S001-17): the second time it is there already."""
    url = f"{origin.url}/feeds/harbour-times.xml"

    first, second = house("add", url), house("add", url)

    assert first.stdout == f'added source 1: rss "The Harbour Times" {url}\n'
    assert first.returncode == 0, first.stderr
    assert (second.returncode, second.stdout) == (1, "")
    assert second.stderr == "clawfeed: rss source 1 (The Harbour Times) is the same thing already\n"
    assert house.sql("SELECT host FROM sources") == [(origin.url.removeprefix("http://"),)]


def test_exactly_what_was_asked_for_is_added_and_odd_things_are_told(house: SourceCommand) -> None:
    """(S001-17): warnings on stderr, the result on stdout."""
    house.follow(feed(1))
    config = '{"url": "http://www.1.example/feed/"}'

    done = house("add", "--type", "rss", "--config", config, "--interval", "5", "--json")

    added = json.loads(done.stdout)
    assert (added["id"], added["type"], added["name"]) == (2, "rss", "1.example")
    assert added["config"] == {"url": "http://www.1.example/feed/", "fetch_interval_minutes": 5}
    assert len(added["warnings"]) == 1
    assert "warning: this source looks like source 1 (Feed 1)" in done.stderr


def test_known_places_are_added_without_asking_anybody(house: SourceCommand) -> None:
    done = house("add", "https://old.reddit.com/r/python/top", "--no-check", "--name", "Snakes")

    assert done.stdout == 'added source 1: reddit "Snakes" python\n'


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            ("--type", "rsss", "https://a.example/"),
            "'rsss' is no source type; there are custom_api",
        ),
        (("--type", "rss", "--config", "{}"), "url is missing"),
        (("--no-check", "https://[::1"), "https://[::1 is not a valid URL"),
        (("http://127.0.0.1:8000/feed",), "not public"),
    ],
)
def test_what_cannot_be_added_is_one_sentence(
    house: SourceCommand, arguments: tuple[str, ...], sentence: str
) -> None:
    done = house("add", *arguments)

    assert done.returncode == 1
    assert sentence in done.stderr
    assert (done.stdout, done.stderr.count("\n")) == ("", 1)
    assert done.stderr.startswith("clawfeed: ")


def test_the_list_shows_how_each_is_doing_in_the_operators_time(house: SourceCommand) -> None:
    name = NewSource(type="hackernews", name="晨间\x1b[31m电讯", config={})
    house.follow(feed(1), name, feed(3))
    house.sql(
        "INSERT INTO source_stats (source_id, source_type, next_due_at, last_check_at, because,"
        " created_at, updated_at, fail_count, backoff_until) VALUES (3, 'rss', 4102444800,"
        ' 1794744000, \'{"failures":2,"rule":"back_off"}\', 0, 0, 2, 4102444800)'
    )
    house.sql("UPDATE sources SET has_stats = 1, fetch_error_count = 2 WHERE id = 3")
    house.sql("UPDATE sources SET is_active = 0, paused_because = 'errors' WHERE id = 1")

    shown = house("list", TIMEZONE="Asia/Shanghai")
    failing = house.json("list", "--failing")

    head, *rows = shown.stdout.splitlines()
    assert head.split()[:4] == ["ID", "TYPE", "NAME", "STATUS"]
    assert "paused_by_error" in rows[0]
    assert "never_fetched" in rows[1]
    assert "backing_off      2026-11-15 20:00  2100-01-01 08:00  backing off after" in rows[2]
    assert "\x1b" not in shown.stdout
    assert [(each["id"], each["status"]) for each in failing] == [
        (1, "paused_by_error"),
        (3, "backing_off"),
    ]
    assert failing[1]["last_poll"] == "2026-11-15T12:00:00Z"


def test_on_a_terminal_the_list_fits_its_width(house: SourceCommand) -> None:
    """Chinese counts double, what is cut ends in an ellipsis, and columns without room go."""
    house.follow(
        NewSource(type="rss", name="远山科技日报" * 20, config={"url": "https://a.example/"}),
        NewSource(type="hackernews", name="Short", config={}),
    )
    house.sql("UPDATE sources SET last_fetched_at = 1794744000")
    house.sql(
        "INSERT INTO source_stats (source_id, source_type, next_due_at, because, created_at,"
        """ updated_at) VALUES (1, 'rss', 4102444800, '{"rule":"resumed"}', 0, 0)"""
    )
    leader, follower = pty.openpty()

    with subprocess.Popen(
        [*COMMAND, "source", "list"],
        cwd=house.folder,
        env=clean_environment(**house.env, COLUMNS="80"),
        stdout=follower,
    ) as process:
        code = process.wait(30)
    os.close(follower)
    shown = os.read(leader, 65_536).decode()
    os.close(leader)

    lines = shown.splitlines()
    assert (code, len(lines)) == (0, 3)
    assert all(cells(line) <= 80 for line in lines)
    assert "远山科技" in lines[1]
    assert "…" in lines[1]
    assert "Short" in lines[2]


def test_no_secret_of_a_config_is_printed_or_exported(house: SourceCommand) -> None:
    """(T17)."""
    headers: JsonValue = {"Authorization": f"Bearer {CANARY}"}
    endpoint = f"https://a.example/x?token={CANARY}"
    config = json.dumps({"endpoint": endpoint, "headers": headers})
    house.follow(
        feed(1, url=f"https://1.example/feed?key={CANARY}"),
        NewSource(
            type="custom_api",
            name="A",
            config={"endpoint": "https://b.example/", "headers": headers},
        ),
    )

    added = house("add", "--type", "custom_api", "--config", config, "--private")
    listed, exported = house("list", "--json"), house("export")

    printed = "".join(done.stdout + done.stderr for done in (added, listed, exported))
    assert CANARY not in printed
    assert "https://a.example/x?token=***" in added.stdout
    assert exported.stdout.count("<outline ") == 1
    assert exported.stderr.count("warning: ") == 2


def test_faults_of_all_sources_are_listed(house: SourceCommand) -> None:
    """(S001-17)."""
    handles: list[JsonValue] = [f"account{number}" for number in range(600)]
    house.follow(
        feed(1),
        feed(1, url="http://www.1.example/feed/"),
        NewSource(type="twitter_feed", name="@a", config={"handle": "b"}),
        NewSource(type="twitter_feed", name="many", config={"handles": handles}),
    )

    shown = house("list", "--faults")

    lines = shown.stdout.splitlines()
    assert [line.split(" ", 2)[1] for line in lines] == ["2", "3", "4"]
    for line, words in zip(lines, ("looks like source 1", "follows @b", "600 values"), strict=True):
        assert words in line


def test_resume_ends_a_pause_and_refuses_what_it_does_not_know(house: SourceCommand) -> None:
    """(S001-9)."""
    house.follow(feed(1), feed(2))
    house.sql(
        "UPDATE sources SET is_active = 0, paused_because = 'errors', fetch_error_count = 5,"
        " last_error = '{}'"
    )

    unknown, known = house("resume", "1", "9"), house("resume", "1")
    rest = house.json("resume", "--all-failed")

    assert (unknown.returncode, unknown.stdout) == (1, "")
    assert unknown.stderr == "clawfeed: there is no source 9; nothing was resumed\n"
    assert known.stdout == "resumed source 1\n"
    assert rest == {"resumed": [2]}
    states = "SELECT is_active, paused_because, fetch_error_count, last_error FROM sources"
    assert house.sql(states) == [(1, None, 0, None)] * 2


def test_a_list_is_imported_by_its_address_and_nothing_is_fetched(
    house: SourceCommand, origin: Origin
) -> None:
    place = f"{origin.url}/opml"

    first, second = house("import", place), house("import", place)

    assert first.stdout == "9 added, 0 already there, 0 refused\n"
    assert second.stdout.splitlines()[-1] == "0 added, 9 already there, 0 refused"
    assert "is the same thing as source 1 (The Harbour Times)" in second.stdout
    assert house.sql("SELECT DISTINCT type, host FROM sources") == [
        ("rss", origin.url.removeprefix("http://"))
    ]


def test_bad_entries_are_refused_one_by_one_with_their_reason(house: SourceCommand) -> None:
    """(S001-11, T8): the rest is imported."""
    good = "http://public.example/feed"
    places = [
        "http://127.0.0.1/",
        "http://0x7f.1/",
        "file:///etc/passwd",
        "gopher://a.example/",
        "",
    ]
    outlines = [
        f'<outline text="t{n}" xmlUrl="{url}"/>' for n, url in enumerate([good, *places, good])
    ]
    path = house.folder / "list.opml"
    path.write_text(f"<opml><body>{''.join(outlines)}</body></opml>")

    done = house.json("import", str(path))

    assert [each["source"] for each in done["added"]] == [f'rss "t0" {good}']
    assert [each["reason"] for each in done["already_there"]] == ["is in the list twice"]
    reasons = " ".join(each["reason"] for each in done["refused"])
    assert len(done["refused"]) == len(places)
    for words in ("not public", "Only http and https", "no address"):
        assert words in reasons


@pytest.mark.slow
def test_a_hostile_list_reaches_neither_files_nor_the_network(
    house: SourceCommand, origin: Origin
) -> None:
    """(T8): a DTD is refused; XInclude and style sheets are not followed."""
    canary = f"{origin.url}/{CANARY}"
    bomb = house.folder / "bomb.opml"
    bomb.write_text(
        f'<!DOCTYPE opml SYSTEM "{canary}" [<!ENTITY x SYSTEM "{canary}">]><opml>&x;</opml>'
    )
    sly = house.folder / "sly.opml"
    sly.write_text(
        f'<?xml version="1.0"?><?xml-stylesheet type="text/xsl" href="{canary}"?><opml><body>'
        f'<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="{canary}"/>'
        '<outline text="ok" xmlUrl="https://a.example/feed"/></body></opml>'
    )

    refused, imported = house("import", str(bomb)), house("import", str(sly))

    assert (refused.returncode, refused.stdout) == (1, "")
    assert refused.stderr.count("\n") == 1
    assert "document type (DTD)" in refused.stderr
    assert imported.stdout == "1 added, 0 already there, 0 refused\n"
    assert not [entry for entry in read_journal(origin.journal) if CANARY in entry.path]


def test_faults_are_shown_rehearsed_and_mended(house: SourceCommand) -> None:
    """(S001-22)."""
    for config, name in (({"handle": "ann"}, "@ann"), ({"handle": "@Ann"}, "Ann")):
        house.follow(NewSource(type="twitter_feed", name=name, config=dict(config)))
    house.follow(NewSource(type="twitter_feed", name="two", config={"handle": "bob,carol"}))

    shown = house("faults")
    rehearsed = house("fix", "--all", "--dry-run")
    fixed = house("fix", "--all", "--dry-run", "--json"), house("fix", "--all")
    after, again, wrong = house("faults"), house("fix", "--all"), house("fix")

    assert shown.stdout.splitlines() == [
        "source 2 (Ann) is the same thing as source 1 (@ann); clawfeed source fix 2",
        "source 3 (two) holds 2 names where one belongs: split it; clawfeed source fix 3",
    ]
    nothing = "moved: 0 items, 0 marks, 0 subscriptions, 0 places in packs"
    assert rehearsed.stdout.splitlines() == [
        f"source 2 (Ann) would be merged into source 1 (@ann); {nothing}",
        f"source 3 (two) would be split; added: @bob, @carol; {nothing}",
    ]
    assert [each["added"] for each in json.loads(fixed[0].stdout)["repairs"]] == [
        [], ["@bob", "@carol"]
    ]  # fmt: skip
    assert fixed[1].stdout == rehearsed.stdout.replace("would be", "was")
    assert (after.stdout, again.stdout) == ("no faults found\n", "nothing to mend\n")
    assert wrong.returncode == 2


def test_a_file_that_is_not_there_is_one_sentence(house: SourceCommand) -> None:
    done = house("import", "nowhere.opml")

    assert done.returncode == 1
    assert done.stderr == "clawfeed: nowhere.opml cannot be read: No such file or directory\n"


@pytest.mark.slow
def test_an_export_makes_the_same_sources_elsewhere(
    house: SourceCommand, tmp_path_factory: pytest.TempPathFactory
) -> None:
    house.follow(
        feed(1, fetch_interval_minutes=30),
        NewSource(type="website", name="<晨报> & co", config={"url": "https://a.example/?a=1&b=2"}),
        NewSource(type="reddit", name="r/python", config={"subreddit": "python", "limit": 5}),
        NewSource(type="twitter_bookmarks", name="Mine", is_public=False),
    )
    other = SourceCommand(tmp_path_factory.mktemp("other"), house.env)
    listed = "SELECT type, name, config, is_public FROM sources ORDER BY id"

    public, everything = house("export"), house("export", "--private")
    (other.folder / "all.opml").write_text(everything.stdout)
    imported = other("import", "all.opml")

    assert public.stdout.count("<outline ") == 3
    assert imported.stdout == "4 added, 0 already there, 0 refused\n", imported.stdout
    assert other.sql(listed) == house.sql(listed)


@pytest.mark.slow
def test_folders_are_packs_and_packs_are_folders(
    house: SourceCommand, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Also those of sources that were there already, and of one that stands in two folders."""
    house.follow(feed(1))
    one, two = (f'<outline text="{n}" xmlUrl="https://{n}.example/feed"/>' for n in (1, 2))
    (house.folder / "list.opml").write_text(
        f'<opml><body><outline text="新闻">{one}<outline text="Local">{two}</outline></outline>'
        f'<outline text="Other">{two}<outline xmlUrl="http://127.0.0.1/"/></outline>'
        f'<outline text="Refused"><outline xmlUrl=""/></outline></body></opml>'
    )
    other = SourceCommand(tmp_path_factory.mktemp("other"), house.env)
    packs = (
        "SELECT p.name, p.slug, p.is_public, s.config FROM source_packs p "
        "JOIN source_pack_sources x ON x.pack_id = p.id JOIN sources s ON s.id = x.source_id "
        "WHERE p.slug <> 'starter' ORDER BY p.name, x.position"
    )

    imported, again = house("import", "list.opml"), house("import", "list.opml")
    (other.folder / "all.opml").write_text(house("export").stdout)
    elsewhere = other("import", "all.opml")

    assert imported.stdout.splitlines()[-1] == (
        "1 added, 2 already there, 2 refused, 3 packs filled"
    )
    assert again.returncode == elsewhere.returncode == 0
    assert [(row[0], row[1], row[2], row[3][-22:]) for row in house.sql(packs)] == [
        ("Other", "other", 1, 'https://2.example/feed"}'[-22:]),
        ("新闻", "folder", 1, 'https://1.example/feed"}'[-22:]),
        ("新闻 / Local", "local", 1, 'https://2.example/feed"}'[-22:]),
    ]
    assert other.sql(packs) == house.sql(packs)


def test_check_shows_what_a_source_brings_and_stores_nothing(
    house: SourceCommand, origin: Origin
) -> None:
    url = f"{origin.url}/feeds/harbour-times.xml"

    done = house("check", url)

    lines = done.stdout.splitlines()
    assert done.returncode == 0, done.stderr
    assert lines[0] == f'rss "The Harbour Times" {url}'
    assert lines[1].startswith("20 items in 0.")
    assert lines[1].endswith(", 20 of them new")
    assert lines[3].strip().startswith("https://harbour-times.example/read/")
    assert "hint: the feed asks for 15 min between polls" in lines
    assert not house.path.parent.exists()


@pytest.mark.slow
def test_check_tells_known_items_from_new_ones(house: SourceCommand, origin: Origin) -> None:
    house("add", f"{origin.url}/feeds/polar-journal.rdf")
    run_here("collect", "--source", "1", cwd=house.folder, env=house.env)
    [(oldest,)] = house.sql("SELECT dedup_key FROM seen_items ORDER BY published_at LIMIT 1")
    house.sql(f"DELETE FROM seen_items WHERE dedup_key = '{oldest}'")

    report = house.json("check", "1")

    assert report["ok"]
    assert report["count"] == 20
    assert [item["key"] for item in report["items"] if not item["known"]] == [oldest]


@pytest.mark.slow
def test_a_failing_check_says_why_with_exit_1(house: SourceCommand, origin: Origin) -> None:
    arguments = ("check", "--type", "rss", f"{origin.url}/nothing?token={CANARY}")

    plain, as_json = house(*arguments), house(*arguments, "--json")

    report = json.loads(as_json.stdout)
    assert (plain.returncode, as_json.returncode) == (1, 1)
    assert plain.stderr == "clawfeed: this source: the server answered 404 Not Found (gone)\n"
    assert (report["ok"], report["reason"], report["status"]) == (False, "gone", 404)
    assert CANARY not in plain.stdout + plain.stderr + as_json.stdout + as_json.stderr


def test_a_check_of_an_unknown_source_is_not_found(house: SourceCommand) -> None:
    done = house("check", "77")

    assert (done.returncode, done.stderr) == (1, "clawfeed: there is no source 77\n")
