"""Sources shown, changed, paused and given up by command, by the rules of the API."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from clawfeed.storage.sources.sources import NewSource
from tests.cli.source_command import SourceCommand, feed
from tests.support.in_process import run_here
from tests.support.terminals import run_on_terminal, width_of

CANARY = "canary5d1c9a7e2b"
SECRET_URL = f"https://a.example/feed.xml?token={CANARY}"


@pytest.fixture
def house(tmp_path: Path) -> SourceCommand:
    return SourceCommand(tmp_path, {})


def test_what_holds_a_secret_is_never_public_and_private_ones_are_somebodys(
    house: SourceCommand,
) -> None:
    """(T18) By command as by the API."""
    headers = json.dumps({"endpoint": "https://a.example/", "headers": {"X-Key": CANARY}})

    refused = [
        house("add", "--no-check", SECRET_URL),
        house("add", "--no-check", "https://me:hunter2@a.example/feed.xml"),
        house("add", "--no-check", "https://me:my hunter@a.example/feed.xml"),
        house("add", "--type", "custom_api", "--config", headers),
    ]
    unknown = house("add", "--no-check", SECRET_URL, "--user", "ben@example.org")
    added = house("add", "--no-check", SECRET_URL, "--private")

    for done in refused:
        assert (done.returncode, done.stdout) == (1, "")
        assert "so it cannot be public: give --private" in done.stderr
        assert done.stderr.count("\n") == 1
    assert "ben@example.org has no account" in unknown.stderr
    assert added.returncode == 0, added.stderr
    owned = "SELECT s.is_public, u.role FROM sources s JOIN users u ON u.id = s.created_by"
    assert house.sql(owned) == [(0, "admin")]
    assert CANARY not in "".join(done.stdout + done.stderr for done in (*refused, added))


def test_an_imported_secret_is_refused_until_the_list_is_private(house: SourceCommand) -> None:
    """(T18)."""
    opml = f'<opml><body><outline xmlUrl="{SECRET_URL}"/></body></opml>'
    (house.folder / "list.opml").write_text(opml)

    refused = house.json("import", "list.opml")
    private = house.json("import", "list.opml", "--private")

    assert refused["added"] == []
    assert "import it with --private" in refused["refused"][0]["reason"]
    assert len(private["added"]) == 1
    assert house.sql("SELECT is_public, created_by IS NULL FROM sources") == [(0, 0)]


def test_a_source_is_edited_paused_and_removed_also_one_that_nobody_owns(
    house: SourceCommand,
) -> None:
    """(S001-9, S001-17)."""
    house.follow(
        feed(1), NewSource(type="rss", name="B", config={"url": "https://b/"}, is_public=False)
    )

    edited = house.json("edit", "1", "--name", "Tide", "--interval", "30")
    moved = house("edit", "2", "--set", "url=https://2.example/feed")
    twin = house("edit", "1", "--set", "url=https://1.example/feed", "--set", "nonsense=1")
    secret = house("edit", "1", "--set", f"url={SECRET_URL}")
    nothing, odd = house("edit", "1"), house("edit", "1", "--set", "url")
    plain = house.json("edit", "1", "--interval", "0")
    paused = house("pause", "1", "2", "1")
    half = house("remove", "2", "9")
    removed = house.json("remove", "2")

    assert (edited["name"], edited["config"]["fetch_interval_minutes"]) == ("Tide", 30)
    assert moved.stdout == 'changed source 2: rss "B" https://2.example/feed\n'
    assert "'nonsense' is no setting" in twin.stderr
    assert "cannot be public" in secret.stderr
    assert (nothing.returncode, odd.returncode) == (2, 2)
    assert plain["config"] == {"url": "https://1.example/feed"}
    assert paused.stdout == "paused source 1\npaused source 2\n"
    assert half.stderr == "clawfeed: there is no source 9; nothing was removed\n"
    assert removed == {"removed": [2]}
    assert house.sql("SELECT id, is_active, is_deleted FROM sources ORDER BY id") == [
        (1, 0, 0),
        (2, 0, 1),
    ]


def planned(next_due_at: int) -> str:
    return (
        "INSERT INTO source_stats (source_id, source_type, next_due_at, last_check_at,"
        f" created_at, updated_at) VALUES (1, 'rss', {next_due_at}, 1794740000, 0, 0)"
    )


STOPPED = (
    "UPDATE sources SET is_active = 0, paused_because = 'errors', fetch_error_count = 8,"
    """ last_error = '{"message": "No answer came.", "at": ""}'"""
)


@pytest.mark.parametrize(
    ("rows", "news"),
    [
        ("SELECT 1", "none: it was never polled; `clawfeed run`"),
        ("UPDATE sources SET is_active = 0, paused_because = 'person'",
         "none: somebody paused it; `clawfeed source resume 1`"),
        (STOPPED,
         "none: it was paused because 8 polls in a row failed (No answer came); `clawfeed source"),
        (planned(1794744000), "so no collector seems to run: start `clawfeed run`"),
        (planned(4102444800), "none: polls go well, the last "),
    ],
    ids=["new", "paused", "failed", "overdue", "empty"],
)  # fmt: skip
def test_show_says_why_nothing_new_came(house: SourceCommand, rows: str, news: str) -> None:
    house.follow(feed(1))
    house.sql(rows)

    assert news in house.json("show", "1")["news"]


def test_show_has_the_date_its_reason_and_the_last_polls_in_one_place(
    house: SourceCommand,
) -> None:
    """(S000-18, T17)."""
    house.follow(feed(1, url=f"https://1.example/feed?key={CANARY}"))
    house.sql(
        "INSERT INTO source_stats (source_id, source_type, next_due_at, last_check_at, because,"
        " created_at, updated_at) VALUES (1, 'rss', 4102444800, 4102440000,"
        """ '{"rule":"resumed"}', 0, 0)"""
    )
    house.sql(
        "INSERT INTO fetch_log (source_id, planned_at, started_at, finished_at, outcome,"
        " inserted, reason, detail, worker) VALUES (1, 0, 1794744000, 1794744002, 'failed', 0,"
        " 'timed_out', 'No answer' || char(10) || 'came', 'w')"
    )

    shown = house("show", "1", TIMEZONE="Asia/Shanghai").stdout

    assert "next poll  in " in shown
    assert "(2100-01-01 08:00): resumed" in shown
    assert "interval   240 min (its type's)" in shown
    assert "  2026-11-15 20:00    2.0 s  failed: No answer\\ncame" in shown
    assert "?key=***" in shown
    assert CANARY not in shown


def test_items_are_listed_searched_and_narrowed(house: SourceCommand) -> None:
    """(S001-13, T18): a stranger's window, or that of one person."""
    secret = NewSource(type="rss", name="Secret", config={"url": "https://s/"}, is_public=False)
    house.follow(feed(1), feed(2), secret)
    for source, title, at in [(1, "Storm\x1b[2J warning", 10), (2, "Calm", 20), (3, "Diary", 30)]:
        house.sql(
            "INSERT INTO raw_items (source_id, title, url, content, fetched_at, dedup_key)"
            f" VALUES ({source}, '{title}', 'https://a/{at}', '', {at}, '{at}')"
        )

    def items(*arguments: str) -> str:
        done = run_here("items", *arguments, cwd=house.folder)
        assert done.returncode == 0, done.stderr
        return done.stdout

    listed = items()

    assert [line.split("  ")[1] for line in listed.splitlines()[::2]] == [
        "Feed 2: Calm",
        "Feed 1: Storm\\x1b[2J warning",
    ]
    assert "https://a/10" in listed
    assert [each["title"] for each in json.loads(items("--source", "2", "--json"))["items"]] == [
        "Calm"
    ]
    assert "Storm" not in items("--since", "1970-01-01T00:00:15Z")
    assert items("tempest") == ""


def test_a_cadence_is_set_shown_and_left_to_the_history_again(house: SourceCommand) -> None:
    """(S004-5) By command as by the API; where an interval comes first, both commands say so."""
    house.follow(feed(1), NewSource(type="hackernews", name="HN", config={}))

    wrong = house("edit", "1", "--cadence", "P9")
    edited = house.json("edit", "1", "--cadence", "p4")
    pinned = house("edit", "2", "--cadence", "P4")
    shown, hot = house("show", "1"), house("show", "2")
    left = house.json("edit", "1", "--cadence", "auto")

    assert wrong.returncode == 2
    assert "'P9' is no cadence: one of P0, P1" in wrong.stderr
    assert (edited["cadence"], edited["is_cadence_set"], edited["warnings"]) == ("P4", True, [])
    assert "polled every 60 min all the same: intervals come first" in pinned.stderr
    assert "cadence    P4, set by hand\n" in shown.stdout
    assert "cadence    P4, set by hand; its interval comes first\n" in hot.stdout
    assert left["is_cadence_set"] is False


def test_what_is_too_long_for_a_terminal_breaks_between_words(house: SourceCommand) -> None:
    """Sentences, facts and titles; an address is left whole, to be copied."""
    address = "https://1.example/" + "long/" * 20
    house.follow(feed(1, url=address))
    house.sql(STOPPED.replace("No answer came.", "No answer came, " + "again " * 20))

    shown = run_on_terminal("source", "show", "1", cwd=house.folder, env=house.env)
    wrong = run_on_terminal("source", "add", "--type", "no", cwd=house.folder, env=house.env)

    lines = [*shown.text.splitlines(), *wrong.text.splitlines()]
    assert f"  {address}" in lines
    assert [line for line in lines if width_of(line) > 80 and address not in line] == []
    assert len(wrong.text.splitlines()) > 2


def test_words_mean_what_people_say(house: SourceCommand) -> None:
    """(S001-5) A type and a subreddit are no hosts of somebody's network."""
    words = ("hackernews", "r/python", "r/python/new")
    added = [house("add", "--no-check", word).stdout for word in words]
    wrong, missing = house("add", "r/!"), house("add", "website")

    assert [line.split()[3] for line in added] == ["hackernews", "reddit", "reddit"]
    assert 'a subreddit is "r/"' in wrong.stderr
    assert "url is missing" in missing.stderr
