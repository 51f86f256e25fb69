"""`clawfeed user` and `clawfeed apikey`: on a real database; passwords come to real processes."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from clawfeed.storage.audit import Action
from clawfeed.storage.drivers.sqlite_library import sqlite3
from tests.support.in_process import run_here
from tests.support.processes import COMMAND, clean_environment

PASSWORD = "four unrelated words here"  # noqa: S105 -- nobody's
WRITTEN_DOWN = "SELECT action, detail, client FROM audit_log WHERE user_id IS NULL ORDER BY id"
HOST = {"BASE_URL": "https://feeds.example"}


def add_with_password(
    cwd: Path, *arguments: str, password: str = PASSWORD
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, "user", "add", *arguments, "--password-stdin"],
        cwd=cwd,
        env=clean_environment(),
        input=f"{password}\n",
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def rows(cwd: Path, sql: str) -> list[tuple[object, ...]]:
    connection = sqlite3.connect(cwd / "data" / "clawfeed.db")
    try:
        found: list[tuple[object, ...]] = connection.execute(sql).fetchall()
    finally:
        connection.close()
    return found


@pytest.mark.slow
def test_a_person_is_added_listed_and_disabled(tmp_path: Path) -> None:
    added = add_with_password(tmp_path, "Anna@Example.org", "--name", "Anna S.", "--admin")
    twice = add_with_password(tmp_path, "anna@example.org")
    ben = add_with_password(tmp_path, "ben@example.org")
    disabled = run_here("user", "disable", "ben@example.org", cwd=tmp_path)
    out = run_here("user", "sign-out", "Ben@example.org", cwd=tmp_path)
    last = run_here("user", "disable", "anna@example.org", cwd=tmp_path)
    listed = run_here("user", "list", "--json", cwd=tmp_path)
    enabled = run_here("user", "enable", "ben@example.org", cwd=tmp_path)

    assert (added.returncode, added.stdout) == (0, "added admin 1 anna@example.org\n")
    assert (twice.returncode, ben.returncode, disabled.returncode) == (1, 0, 0)
    assert "has an account already" in twice.stderr
    assert out.stdout == "signed ben@example.org out everywhere\n"
    assert rows(tmp_path, "SELECT action, user_id FROM audit_log") == [("signed_out_everywhere", 2)]
    assert last.returncode == 1
    assert "make somebody else an admin first" in last.stderr
    people = json.loads(listed.stdout)["users"]
    assert [(p["name"], p["role"], p["is_disabled"], p["has_password"]) for p in people] == [
        ("Anna S.", "admin", False, True),
        ("ben", "user", True, True),
    ]
    assert enabled.stdout == "enabled ben@example.org\n"
    assert rows(tmp_path, "SELECT count(*) FROM users WHERE disabled_at IS NULL") == [(2,)]
    [(stored,)] = rows(tmp_path, "SELECT password_hash FROM users WHERE id = 1")
    assert str(stored).startswith("$argon2id$v=19$m=47104,t=1,p=1$")
    assert PASSWORD not in added.stdout + added.stderr


@pytest.mark.parametrize(
    ("arguments", "password", "code", "complaint"),
    [
        (("no address",), PASSWORD, 1, "write it like anna@example.org"),
        (("anna@example.org",), "short", 1, "too short"),
        (("anna@example.org",), "password1234", 1, "easy to guess"),
        (("anna@example.org", "--link"), PASSWORD, 2, "not both"),
        (("anna@example.org", "--name", "a\nb"), PASSWORD, 1, "no line breaks"),
    ],
)
def test_what_cannot_be_added_is_one_sentence(
    tmp_path: Path, arguments: tuple[str, ...], password: str, code: int, complaint: str
) -> None:
    done = add_with_password(tmp_path, *arguments, password=password)

    assert done.returncode == code
    assert complaint in done.stderr
    assert "Traceback" not in done.stderr


def test_a_link_is_printed_for_new_people_and_for_lost_passwords(tmp_path: Path) -> None:
    first, second = [
        run_here("user", "add", "ben@example.org", "--link", cwd=tmp_path, env=HOST)
        for _ in range(2)
    ]

    assert first.stdout.startswith("https://feeds.example/setup/")
    assert first.stdout != second.stdout
    assert len(rows(tmp_path, "SELECT id FROM users")) == 1
    assert len(rows(tmp_path, "SELECT id FROM one_time_links")) == 1


def test_without_a_terminal_it_says_how_to_give_a_password(tmp_path: Path) -> None:
    done = subprocess.run(
        [*COMMAND, "user", "add", "anna@example.org"],
        cwd=tmp_path,
        env=clean_environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert done.returncode == 2
    assert "--password-stdin or --link" in done.stderr


@pytest.mark.slow
def test_a_feeds_address_is_printed_once_and_revoked(tmp_path: Path) -> None:
    run_here("user", "add", "anna@example.org", "--link", cwd=tmp_path)

    made = run_here("feed-token", "create", "--user", "anna@example.org", cwd=tmp_path)
    listed = run_here("feed-token", "list", cwd=tmp_path)
    revoked = run_here("feed-token", "revoke", "1", cwd=tmp_path)
    again = run_here("feed-token", "revoke", "1", cwd=tmp_path)

    address, _, token = made.stdout.strip().partition("?token=")
    assert address.endswith("/feed/daily.rss")
    assert len(token) == 43
    assert "anna@example.org" in listed.stdout
    assert token not in listed.stdout
    assert revoked.stdout == "revoked feed token 1\n"
    assert (again.returncode, again.stderr) == (1, "clawfeed: there is no feed token 1\n")
    assert rows(tmp_path, WRITTEN_DOWN) == [
        (str(Action.FEED_TOKEN_CREATED), "feed token 1 of user 1", "command line"),
        (str(Action.FEED_TOKEN_REVOKED), "feed token 1 of user 1", "command line"),
    ]


@pytest.mark.slow
def test_a_key_is_printed_once_listed_without_its_secret_and_revoked(tmp_path: Path) -> None:
    run_here("user", "add", "anna@example.org", "--link", cwd=tmp_path)
    create = ("apikey", "create", "--user", "anna@example.org", "--name", "backup", "--scope")

    made = run_here(*create, "read", "--days", "90", cwd=tmp_path)
    refused = run_here(*create, "admin", cwd=tmp_path)
    listed = run_here("apikey", "list", cwd=tmp_path)
    revoked = run_here("apikey", "revoke", "1", cwd=tmp_path)
    again = run_here("apikey", "revoke", "1", cwd=tmp_path)
    huge = run_here("apikey", "revoke", "9" * 30, cwd=tmp_path)
    empty = run_here("apikey", "list", cwd=tmp_path)

    key = made.stdout.strip()
    assert key.startswith("cf_")
    assert len(key) == 55
    assert (refused.returncode, revoked.returncode, again.returncode) == (1, 0, 1)
    assert huge.returncode == 2
    assert "is not the id of an API key: `clawfeed apikey list` has them" in huge.stderr
    assert "is no admin" in refused.stderr
    assert key not in listed.stdout
    assert f"…{key[-4:]}" in listed.stdout
    assert "there is no API key 1" in again.stderr
    assert empty.stdout == "there are no API keys\n"
    assert key.rpartition("_")[2] not in str(rows(tmp_path, "SELECT * FROM api_keys"))
    assert rows(tmp_path, WRITTEN_DOWN) == [
        (str(Action.KEY_CREATED), "key 1 (read) of user 1", "command line"),
        (str(Action.KEY_REVOKED), "key 1 of user 1", "command line"),
    ]
