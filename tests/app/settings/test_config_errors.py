"""Everything wrong is said at once, each in one sentence that names its place."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from clawfeed.app.settings.config_loading import load_config
from clawfeed.domain.errors import ConfigError


def problems(directory: Path, environ: dict[str, str], yaml: str | None = None) -> tuple[str, ...]:
    if yaml is not None:
        (directory / "clawfeed.yaml").write_text(yaml, encoding="utf-8")
        environ = {**environ, "CONFIG_FILE": "clawfeed.yaml"}
    with pytest.raises(ConfigError) as caught:
        load_config(environ, directory=directory)
    return caught.value.problems


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("DIGEST_PORT", "80a", "a whole number from 1 to 65535"),
        ("DIGEST_PORT", "0", "a whole number from 1 to 65535"),
        ("DIGEST_PORT", "65536", "a whole number from 1 to 65535"),
        ("DIGEST_PORT", "8_767", "a whole number from 1 to 65535"),
        ("DIGEST_HOST", "http://x", "a host name or an IP address"),
        ("BASE_URL", "feeds.example", "an http:// or https:// address"),
        ("BASE_URL", "ftp://feeds.example", "an http:// or https:// address"),
        ("TIMEZONE", "Mars/Olympus", "the name of a time zone"),
        ("TIMEZONE", "../../etc/passwd", "the name of a time zone"),
        ("TIMEZONE", "/etc", "the name of a time zone"),
        ("COLLECTOR_TICK", "0", "a number of seconds from 0.1 to 86400"),
        ("COLLECTOR_TICK", "nan", "a number of seconds from 0.1 to 86400"),
        ("COLLECTOR_INTERVAL", "1m", "a number of seconds from 0.1 to 86400"),
        ("COLLECTOR_CONCURRENCY", "-3", "a whole number from 1 to 1000"),
        ("AUTO_PAUSE_AFTER", "never", "a whole number from 0 to 1000"),
        ("SCHEDULER_POLICY", "clever", "one of cadence, forecast, fixed"),
        ("STORAGE_ENABLE_WAL", "maybe", "true or false"),
        ("LOG_LEVEL", "loud", "one of debug, info, warning, error"),
        ("LOG_FORMAT", "xml", "one of auto, human, json"),
        ("EGRESS_ALLOW", "localhost", "a host:port or a network"),
        ("EGRESS_ALLOW", "localhost:99999", "a host:port or a network"),
        ("EGRESS_ALLOW", "10.0.0.1/8", "a host:port or a network"),
        ("EGRESS_ALLOW", "a:1, http://b:2", "a host:port or a network"),
        ("X_BRIDGES", "rsshub.example/{handle}", "an http:// or https:// address"),
        ("X_BRIDGES", "http://[rsshub.example/{handle}", "an http:// or https:// address"),
        (
            "X_BRIDGES",
            "http://rsshub.example/x/",
            "that holds {handle}, {list_id}, {query} or {type}",
        ),
        ("X_BRIDGES", "http://a.example/{type},http://b.example/{user}", "{handle}, {list_id}"),
        ("HACKERNEWS_BASE_URL", "https://u:p@hn.example", "without user, password"),
    ],
)
def test_a_wrong_value_names_its_variable_and_what_would_be_right(
    tmp_path: Path, name: str, text: str, expected: str
) -> None:
    """(S002-18)."""
    [problem] = problems(tmp_path, {name: text})

    assert problem.startswith(f'{name} is "')
    assert "expected" in problem
    assert expected in problem


@pytest.mark.parametrize(
    "text",
    ["mysql://u:hunter2@h/d", "sqlite://x", ":memory:", "sqlite:///", "nonsense", "postgres:news"],
)
def test_a_wrong_database_url_is_named_but_not_shown(tmp_path: Path, text: str) -> None:
    """(T17) It may hold a password, whatever it is."""
    [problem] = problems(tmp_path, {"DATABASE_URL": text})

    assert problem == (
        "DATABASE_URL cannot be used: expected sqlite:///path, a path with a / or the ending .db,"
        " or postgresql://host/name"
    )


def test_all_problems_of_all_places_come_at_once(tmp_path: Path) -> None:
    """(S002-18)."""
    (tmp_path / ".env").write_text("LOG_LEVEL=loud\nnonsense\n")
    yaml = "server: {port: 80a}\nstorge: {}\nstorage: {batch_size: [1, 2]}\n"

    found = problems(tmp_path, {"AUTO_PAUSE_AFTER": "x", "API_KEY_FILE": "nowhere"}, yaml)

    assert set(found) == {
        ".env line 2 cannot be read: expected NAME=value",
        "storge in clawfeed.yaml line 2 is not a setting: did you mean storage?",
        "storage.batch_size in clawfeed.yaml line 3: expected a whole number from 1 to 10000",
        'server.port in clawfeed.yaml line 1 is "80a": expected a whole number from 1 to 65535',
        'LOG_LEVEL in .env is "loud": expected one of debug, info, warning, error',
        'AUTO_PAUSE_AFTER is "x": expected a whole number from 0 to 1000',
        "API_KEY_FILE must name a file that holds the secret: No such file or directory",
    }


@pytest.mark.parametrize(
    ("yaml", "expected"),
    [
        ("server:\n  prot: 1\n", "server.prot in clawfeed.yaml line 2 is not a setting"),
        ("server:\n  prot: 1\n", "did you mean server.port?"),
        ("DIGEST_PORT: 80\n", "line 1 is not a setting: did you mean server.port?"),
        ("completely_different: 1\n", "completely_different in clawfeed.yaml line 1 is not a"),
        ("server: 5\n", "server in clawfeed.yaml line 1 must hold settings, not a value"),
        ("config_file: x\n", "config_file in clawfeed.yaml line 1 is not a setting"),
        ("server: {port: 1, port: 2}\n", "sets DIGEST_PORT a second time"),
        ("storage: {db_path: a.db, database_url: b.db}\n", "sets DATABASE_URL a second time"),
        ("server:\n  port: 1\n bad: 2\n", "clawfeed.yaml line 3 is not valid YAML"),
        ("server: {port: {a: 1}}\n", "server.port in clawfeed.yaml line 1: expected a whole"),
        ("fetch_intervals: {rss: [1]}\n", "fetch_intervals.rss in clawfeed.yaml line 1: expected"),
        ("? [a, b]\n: c\n", "is not a setting"),
        ("- a\n- b\n", "clawfeed.yaml must hold names and values"),
        ("a: \x07\n", "clawfeed.yaml line 1 is not valid YAML"),
        ("log: &a {log: *a}\n", "log.log in clawfeed.yaml line 1 is not a setting"),
    ],
)
def test_a_wrong_yaml_file_is_named_with_line_and_way_out(
    tmp_path: Path, yaml: str, expected: str
) -> None:
    [problem] = problems(tmp_path, {}, yaml)

    assert expected in problem


def test_a_yaml_fault_does_not_show_what_may_be_a_password(tmp_path: Path) -> None:
    """(T17)."""
    [problem] = problems(tmp_path, {}, "server:\n  api_key: *hunter2\n")

    assert problem == "clawfeed.yaml line 2 is not valid YAML: found undefined alias"


def test_an_empty_yaml_file_is_fine(tmp_path: Path) -> None:
    (tmp_path / "clawfeed.yaml").write_text("# nothing\nserver:\n")

    config = load_config({"CONFIG_FILE": "clawfeed.yaml"}, directory=tmp_path)

    assert config.server.port == 8767


def test_a_config_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "latin.yaml").write_bytes(b"a: \xff\n")

    assert (
        "none.yaml, which cannot be read: No such file"
        in (problems(tmp_path, {"CONFIG_FILE": "none.yaml"})[0])
    )
    assert "cannot be read: Is a directory" in problems(tmp_path, {"CONFIG_FILE": "."})[0]
    assert "not UTF-8" in problems(tmp_path, {"CONFIG_FILE": "latin.yaml"})[0]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"JUST WORDS\n", ".env line 1 cannot be read: expected NAME=value"),
        (b"\nA='open\n", ".env line 2 cannot be read: expected a closing quote for A"),
        (b"A=\xff\n", ".env is not UTF-8 text"),
    ],
)
def test_a_wrong_dotenv_file_is_named_with_its_line(
    tmp_path: Path, content: bytes, expected: str
) -> None:
    (tmp_path / ".env").write_bytes(content)

    [problem] = problems(tmp_path, {})

    assert expected in problem


def test_a_dotenv_that_was_asked_for_must_exist(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"test\.env does not exist"):
        load_config({}, directory=tmp_path, dotenv=tmp_path / "test.env")


def test_a_long_or_broken_value_stays_one_short_line(tmp_path: Path) -> None:
    """(T29)."""
    [problem] = problems(tmp_path, {"LOG_LEVEL": "x\nLOG_FORMAT is fine" + "y" * 1000})

    assert "\n" not in problem
    assert len(problem) < 200


def test_a_secret_with_a_line_break_is_refused(tmp_path: Path) -> None:
    """A line break in a token would become a header of its own."""
    [problem] = problems(tmp_path, {"X_BEARER_TOKEN": "hunter2\r\nX-Evil: 1"})

    assert problem == "X_BEARER_TOKEN cannot be used: expected one line of text"


def test_a_secret_and_its_file_in_one_place_are_one_too_many(tmp_path: Path) -> None:
    (tmp_path / "key").write_text("from file")

    [problem] = problems(tmp_path, {"API_KEY": "hunter2", "API_KEY_FILE": "key"})

    assert problem == "API_KEY and API_KEY_FILE are both set: keep one of them"


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("empty", "it is empty"),
        ("binary", "it is not UTF-8 text"),
        (".", "Is a directory"),
        ("hunter2-given-as-a-path", "No such file or directory"),
    ],
)
def test_a_secrets_file_that_cannot_be_used_is_named_without_its_path(
    tmp_path: Path, path: str, why: str
) -> None:
    """(T17) People do put the secret itself where its path belongs."""
    (tmp_path / "empty").write_text(" \n")
    (tmp_path / "binary").write_bytes(b"\xff\xfe")

    found = problems(tmp_path, {"API_KEY_FILE": path})

    assert found == (f"API_KEY_FILE must name a file that holds the secret: {why}",)


@pytest.mark.skipif(os.name == "nt", reason="POSIX file modes")
@pytest.mark.parametrize(("mode", "warns"), [(0o644, True), (0o640, True), (0o600, False)])
def test_a_dotenv_with_secrets_that_others_can_read_gives_a_warning(
    tmp_path: Path, mode: int, *, warns: bool
) -> None:
    (tmp_path / ".env").write_text("X_BEARER_TOKEN=swordfish\n")
    (tmp_path / ".env").chmod(mode)

    config = load_config({}, directory=tmp_path)

    assert bool(config.warnings) == warns


@pytest.mark.parametrize("name", ["API_KEY", "METRICS_TOKEN"])
@pytest.mark.parametrize("text", ["abc", "correct-horse-19chr", "a" * 64, "12" * 20])
def test_a_key_that_could_be_guessed_is_refused(tmp_path: Path, name: str, text: str) -> None:
    """(T14): nothing brakes whoever guesses it, so that nobody waits who has it."""
    [problem] = problems(tmp_path, {name: text})

    assert problem == (
        f"{name} cannot be used: expected 20 characters or more that nobody guesses: "
        "`openssl rand -hex 32` makes some"
    )
    assert text not in problem


def test_channels_of_the_house_say_what_they_lack_all_at_once(tmp_path: Path) -> None:
    """(S002-18): a chat without a bot, a repository without a token, a mailbox without a server."""
    found = problems(
        tmp_path,
        {
            "TELEGRAM_CHANNEL_ID": "@news",
            "ALARM_TELEGRAM_CHAT_ID": "7",
            "TARGET_REPO": "anna/news",
            "EMAIL_TO": "anna@example.org",
        },
    )
    half = problems(tmp_path, {"SMTP_URL": "smtp://mail.example"})

    assert [problem.split(":")[0] for problem in found] == [
        "TELEGRAM_BOT_TOKEN is not set, but TELEGRAM_CHANNEL_ID is",
        "TELEGRAM_BOT_TOKEN is not set, but ALARM_TELEGRAM_CHAT_ID is",
        "GITHUB_TOKEN is not set, but TARGET_REPO is",
        "SMTP_URL is not set, but EMAIL_TO is",
    ]
    assert half == ("EMAIL_FROM is not set, but SMTP_URL is: say who sends e-mails",)
