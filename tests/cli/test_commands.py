"""The command as people meet it: real processes, real exit codes, one sentence per mistake."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from clawfeed.cli.main import COMMANDS
from clawfeed.storage.drivers.sqlite_library import sqlite3
from tests.support.in_process import run_here
from tests.support.ports import can_be_bound, free_port
from tests.support.postgres import running_postgres
from tests.support.processes import (
    COMMAND,
    clean_environment,
    run_clawfeed,
    running_clawfeed,
    wait_until,
)


def get(url: str) -> str:
    with urllib.request.urlopen(url, timeout=60) as answer:  # noqa: S310 -- loopback
        return str(answer.read().decode())


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_every_command_helps_with_an_example(command: str, tmp_path: Path) -> None:
    done = run_here(command, "--help", cwd=tmp_path)

    assert done.returncode == 0
    assert "Example:" in done.stdout
    assert f"clawfeed {command}" in done.stdout.split("Example:")[1]


def test_help_names_every_command_without_importing_any(tmp_path: Path) -> None:
    """`--help` must answer at once; `bench/bench_startup.py` measures it."""
    script = (
        "import sys; from clawfeed.cli.main import main; main(['--help']);"
        "print([name for name in sys.modules if name.startswith('clawfeed.')])"
    )

    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True
    )

    help_text, _, modules = done.stdout.rpartition("[")
    for command in COMMANDS:
        assert f"\n  {command} " in help_text
    assert "clawfeed.cli.main" in modules
    assert "clawfeed.app" not in modules
    assert "clawfeed.cli.backtest.backtest" not in modules


def test_an_unknown_command_is_wrong_usage(tmp_path: Path) -> None:
    done, close = run_here("fly", cwd=tmp_path), run_here("sources", cwd=tmp_path)

    assert (done.returncode, close.returncode) == (2, 2)
    assert "No such command 'fly'." in done.stderr
    assert "No such command 'sources'. Did you mean 'source'?" in close.stderr


@pytest.mark.parametrize("arguments", [["--help"], ["collect", "--help"], ["doctor"]])
def test_a_reader_who_has_seen_enough_is_no_failure(arguments: list[str], tmp_path: Path) -> None:
    """`clawfeed doctor | head -3`."""
    reading, writing = os.pipe()
    os.close(reading)

    with os.fdopen(writing, "wb") as stdout:
        done = subprocess.run(
            [*COMMAND, *arguments],
            cwd=tmp_path,
            env=clean_environment(),
            stdout=stdout,
            stderr=subprocess.PIPE,
            check=False,
        )

    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize("arguments", [["--help"], ["migrate"]])
def test_a_full_disk_is_one_sentence(arguments: list[str], tmp_path: Path) -> None:
    """`clawfeed ... > /a/full/disk`."""
    with Path("/dev/full").open("wb") as stdout:
        done = subprocess.run(
            [*COMMAND, *arguments],
            cwd=tmp_path,
            env=clean_environment(),
            stdout=stdout,
            stderr=subprocess.PIPE,
            check=False,
        )

    sentence = b"clawfeed: the output cannot be written: No space left on device\n"
    assert (done.returncode, done.stderr) == (1, sentence)


def test_closed_streams_hurt_nobody(tmp_path: Path) -> None:
    """The event loop and the database must not get the numbers of stdout and stderr."""
    done = subprocess.run(
        ["/bin/sh", "-c", 'exec "$@" <&- >&- 2>&-', "sh", *COMMAND, "migrate"],
        cwd=tmp_path,
        env=clean_environment(),
        check=False,
    )

    assert done.returncode == 0
    assert run_clawfeed("status", cwd=tmp_path).returncode == 0


def test_migrate_says_what_it_did_and_the_second_time_that_nothing_is_left(
    tmp_path: Path,
) -> None:
    first, second = (run_clawfeed("migrate", cwd=tmp_path) for _ in range(2))

    assert (first.returncode, second.returncode) == (0, 0)
    assert "applied 0001_sources" in first.stdout
    assert second.stdout == "the schema is current; nothing to do\n"


def test_wrong_settings_are_listed_all_at_once_with_exit_2(tmp_path: Path) -> None:
    """(S002-18)."""
    (tmp_path / "clawfeed.yaml").write_text("storage:\n  batch_size: many\n  db_pth: x\n")
    env = {"CONFIG_FILE": "clawfeed.yaml", "DIGEST_PORT": "80a", "COLLECTOR_TICK": "0"}

    done = run_here("serve", cwd=tmp_path, env=env)

    lines = done.stderr.splitlines()
    assert done.returncode == 2
    assert len(lines) == 4
    for name in ("DIGEST_PORT", "COLLECTOR_TICK", "storage.batch_size", "storage.db_pth"):
        assert sum(name in line for line in lines) == 1, done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        ("postgresql://me:hunter2@127.0.0.1:1/news", "cannot be reached"),
        ("sqlite:////proc/nowhere/clawfeed.db", "cannot write to the data directory"),
    ],
)
def test_a_database_that_cannot_be_had_is_one_sentence(
    tmp_path: Path, url: str, sentence: str
) -> None:
    done = run_here("serve", cwd=tmp_path, env={"DATABASE_URL": url})

    assert done.returncode == 1
    assert sentence in done.stderr
    assert done.stderr.startswith("clawfeed: ")
    assert done.stderr.count("\n") == 1
    assert "hunter2" not in done.stderr


@pytest.mark.slow
def test_a_locked_file_is_one_sentence(tmp_path: Path) -> None:
    run_clawfeed("migrate", cwd=tmp_path)
    holder = sqlite3.connect(tmp_path / "data" / "clawfeed.db", isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")

    done = run_clawfeed("migrate", cwd=tmp_path)
    holder.close()

    assert done.returncode == 1
    assert "is locked by another program" in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.slow
def test_a_newer_schema_is_refused(tmp_path: Path) -> None:
    run_here("migrate", cwd=tmp_path)
    with sqlite3.connect(tmp_path / "data" / "clawfeed.db") as connection:
        connection.execute("INSERT INTO schema_migrations VALUES (999, 'future', 0)")
    connection.close()

    done = run_here("serve", cwd=tmp_path)

    assert done.returncode == 2
    assert "newer ClawFeed" in done.stderr


def test_doctor_masks_secrets_and_changes_nothing(tmp_path: Path) -> None:
    env = {"API_KEY": "canary-5d1c9a7e2b-5d1c", "EGRESS_ALLOW": "127.0.0.0/8"}

    done = run_here("doctor", "--json", cwd=tmp_path, env=env)

    report = json.loads(done.stdout)
    assert done.returncode == 0
    assert report["settings"]["API_KEY"] == {"value": "***", "origin": "environment"}
    assert any(finding["about"] == "EGRESS_ALLOW" for finding in report["findings"])
    assert "canary-5d1c9a7e2b-5d1c" not in done.stdout + done.stderr
    assert list(tmp_path.iterdir()) == []


def test_doctor_warns_of_a_database_that_others_may_read(tmp_path: Path) -> None:
    (tmp_path / "a.db").touch(0o644)

    done = run_here("doctor", cwd=tmp_path, env={"DATABASE_URL": "a.db"})

    assert done.returncode == 0
    assert f"other users may read {tmp_path / 'a.db'}: chmod 600" in done.stdout


def test_doctor_lists_every_interval_and_where_it_comes_from(tmp_path: Path) -> None:
    """(S000-2)."""
    env = {"FETCH_INTERVAL_RSS": "15", "fetch_interval_mine": "7"}

    done = run_here("doctor", "--json", cwd=tmp_path, env=env)

    settings = json.loads(done.stdout)["settings"]
    assert settings["FETCH_INTERVAL_RSS"] == {"value": "15", "origin": "environment"}
    assert settings["FETCH_INTERVAL_REDDIT"] == {"value": "60", "origin": "default"}
    assert settings["FETCH_INTERVAL_MINE"] == {"value": "7", "origin": "environment"}


@pytest.mark.slow
@pytest.mark.parametrize(("proxies", "warns"), [("", True), ("127.0.0.1/32", False)])
def test_doctor_misses_a_proxy_nobody_named(tmp_path: Path, proxies: str, *, warns: bool) -> None:
    """(T27): who comes by https came through one."""
    env = {"BASE_URL": "https://feeds.example", "TRUSTED_PROXIES": proxies}

    done = run_here("doctor", cwd=tmp_path, env=env)

    assert ("TRUSTED_PROXIES names no proxy" in " ".join(done.stdout.split())) is warns


def test_doctor_finds_broken_plug_ins_and_a_folder_that_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "plugins").mkdir()
    (tmp_path / "plugins" / "broken.py").write_text("import nowhere_to_be_found")

    broken, absent = (
        run_here("doctor", cwd=tmp_path, env={"PLUGINS_DIR": folder})
        for folder in ("plugins", "nope")
    )

    assert (broken.returncode, absent.returncode) == (1, 1)
    assert "plug-in broken.py, line 1: ModuleNotFoundError" in broken.stdout
    assert "nope is not a folder" in absent.stdout


def test_one_broken_plug_in_stops_only_itself(tmp_path: Path) -> None:
    """(S003-2): told by file and line, once; its neighbour is polled, also when it raises."""
    (tmp_path / "plugins").mkdir()
    (tmp_path / "plugins" / "broken.py").write_text("\n\ndef")
    good = "class A:\n    name, default_interval_seconds = {name!r}, 60\n"
    good += "    async def fetch(self, param):\n        yield {{'title': 'high water'}}\n{more}"
    (tmp_path / "plugins" / "whole.py").write_text(good.format(name="whole", more=""))
    more = "        1 / 0\n"
    (tmp_path / "plugins" / "raising.py").write_text(good.format(name="raising", more=more))
    settings = {"PLUGINS_DIR": "plugins", "STARTER_PACK": "no"}

    done = run_clawfeed("collect", "--json", cwd=tmp_path, env=settings)
    checked = run_clawfeed(
        "source", "check", "--type", "raising", "--config", "{}", cwd=tmp_path, env=settings
    )

    lines = {line["type"]: line for line in map(json.loads, done.stdout.splitlines())}
    assert done.returncode == 0
    assert done.stderr.count("plug-in broken.py, line 3: SyntaxError") == 1
    assert "Traceback" not in done.stderr + checked.stderr
    assert lines["whole"]["new"] == 1
    assert checked.returncode == 1
    assert "raising raised ZeroDivisionError: division by zero (raising.py, line 5)" in (
        checked.stderr
    )


def test_a_file_of_another_program_is_refused_by_name(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "other.db") as connection:
        connection.execute("CREATE TABLE recipes (id INTEGER)")
    connection.close()
    before = (tmp_path / "other.db").read_bytes()
    env = {"DATABASE_URL": "sqlite:///other.db"}

    done = run_here("migrate", cwd=tmp_path, env=env)
    examined = run_here("doctor", cwd=tmp_path, env=env)

    assert (done.returncode, examined.returncode) == (2, 1)
    assert "other.db belongs to another program (its tables are recipes)" in done.stderr
    assert done.stderr.count("\n") == 1
    assert "other.db belongs to another program" in examined.stdout
    assert (tmp_path / "other.db").read_bytes() == before


def test_doctor_finds_an_unreachable_database(tmp_path: Path) -> None:
    done = run_here("doctor", cwd=tmp_path, env={"DATABASE_URL": "postgresql://127.0.0.1:1/x"})

    assert done.returncode == 1
    assert "✗ database" in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("command", ["serve", "run"])
def test_the_service_starts_answers_and_stops_on_sigterm(tmp_path: Path, command: str) -> None:
    """(S000-14)."""
    port = free_port()
    env = {"DIGEST_PORT": str(port)}

    with running_clawfeed(command, cwd=tmp_path, env=env) as service:
        service.wait_for("listening")
        health = json.loads(get(f"http://127.0.0.1:{port}/healthz"))
        service.signal(signal.SIGTERM)
        code = service.wait()

    assert health["status"] == "ok"
    assert code == 0, service.stderr
    assert "stopping" in service.stderr
    assert "Traceback" not in service.stderr
    # A person waits for the server, a source does not.
    assert "collector started" not in service.stderr.partition("listening")[0]
    # What `cp` takes away afterwards is everything.
    assert [each.name for each in (tmp_path / "data").glob("*-wal")] == []


@pytest.mark.slow
def test_a_taken_port_is_one_sentence_and_exit_2(tmp_path: Path) -> None:
    env = {"DIGEST_PORT": str(free_port())}

    with running_clawfeed("serve", cwd=tmp_path, env=env) as first:
        first.wait_for("listening")
        serve = run_clawfeed("serve", cwd=tmp_path, env=env)
        run = run_clawfeed("run", cwd=tmp_path, env=env)

    assert (serve.returncode, run.returncode) == (2, 2)
    assert "DIGEST_PORT" in serve.stderr
    assert serve.stderr.count("\n") == 1
    assert "Traceback" not in run.stderr


@pytest.mark.slow
def test_a_postgresql_that_goes_away_is_told_in_sentences(tmp_path: Path) -> None:
    """By the loop that tries again, and by no library's tracebacks."""
    with running_postgres() as url:
        settings = {"DATABASE_URL": url, "COLLECTOR_TICK": "1"}
        with running_clawfeed("collect", "--loop", cwd=tmp_path, env=settings) as collector:
            collector.wait_for("rhythm resumed")
            data = Path(url.partition("host=")[2])
            number = (data / "postmaster.pid").read_text().split()[0]
            os.kill(int(number), signal.SIGQUIT)
            wait_until(lambda: collector.stderr.count("could not claim sources") >= 3)
            collector.signal(signal.SIGTERM)
            code = collector.wait()

    assert code == 0
    assert "cannot be reached" in collector.stderr
    assert "Traceback" not in collector.stderr


@pytest.mark.slow
def test_a_killed_server_is_started_again(tmp_path: Path) -> None:
    """(S000-22): either may crash alone."""
    port = free_port()

    with running_clawfeed("run", cwd=tmp_path, env={"DIGEST_PORT": str(port)}) as service:
        service.wait_for("listening")
        children = Path(f"/proc/{service.process.pid}/task/{service.process.pid}/children")
        for pid in children.read_text().split():
            os.kill(int(pid), signal.SIGKILL)
        wait_until(lambda: service.stderr.count('"event": "listening"') == 2)
        health = json.loads(get(f"http://127.0.0.1:{port}/healthz"))

    assert health["status"] == "ok"
    assert "starting it again" in service.stderr


@pytest.mark.slow
def test_children_end_with_a_killed_parent(tmp_path: Path) -> None:
    """After kill -9, restart and go on: no orphan may hold the port or the sources."""
    port = free_port()
    env = {"DIGEST_PORT": str(port)}
    with running_clawfeed("run", cwd=tmp_path, env=env) as first:
        first.wait_for("listening")
        first.signal(signal.SIGKILL)
        first.process.wait()
        wait_until(lambda: "the parent process is gone" in first.stderr)
        wait_until(lambda: can_be_bound(port))

        with running_clawfeed("run", cwd=tmp_path, env=env) as second:
            second.wait_for("listening")
            second.signal(signal.SIGINT)
            code = second.wait()

    assert code == 0, second.stderr
    assert "Traceback" not in first.stderr + second.stderr
