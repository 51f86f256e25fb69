"""`clawfeed cron` as timers and people meet it: real processes, real exit codes (S002)."""

from __future__ import annotations

import configparser
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from clawfeed.app.clock import system_clock
from clawfeed.app.settings.config_loading import load_config
from clawfeed.cli.timer_units import Installation, crontab, running_command, systemd
from clawfeed.domain.errors import ConfigError
from clawfeed.storage.drivers.sqlite_library import sqlite3
from tests.support.in_process import run_here
from tests.support.ports import free_port
from tests.support.processes import (
    clean_environment,
    run_clawfeed,
    running_clawfeed,
    wait_until,
)
from tests.support.system_packages import needed

MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)
# What makes up a server, a collector or an edition: nothing of it is needed to find nothing to do.
HEAVY = (
    "aiohttp",
    "asyncpg",
    "clawfeed.digest.edition_lists.list_maker",
    "clawfeed.digest.selection.selection",
    "clawfeed.digest.summaries.lead_writer",
    "clawfeed.egress",
    "clawfeed.sources.fetchers",
    "fastapi",
    "feedparser",
    "lxml",
    "turbohtml",
    "pydantic",
    "starlette",
    "uvicorn",
)
LISTING = """
import json, sys
from clawfeed.cli.main import main
try:
    main(["cron"])
except SystemExit as end:
    print(json.dumps([end.code, sorted(sys.modules)]))
"""
_TASK = """
INSERT INTO edition_tasks (kind, scope, type, period, covers_from, covers_until, due_at,
    expires_at, batch_size, batch_index, state, published_at, started_at, created_at, updated_at)
VALUES ('digest', 'system', 'daily', strftime('%Y-%m-%d', 'now'), 1, 2, 3, 1e10, 8, 1, ?, ?,
    strftime('%s', 'now'), 0, 0)
"""


@pytest.fixture(autouse=True)
def _within_one_day() -> None:
    """An edition that is put in by hand is of the day (UTC) on which the command will look."""
    left = 86400 - system_clock().timestamp() % 86400
    if left < 30:
        time.sleep(left + 1)


def change(folder: Path, *statements: tuple[str, tuple[object, ...]]) -> None:
    with closing(sqlite3.connect(folder / "data" / "clawfeed.db")) as connection:
        for sql, values in statements:
            connection.execute(sql, values)
        connection.commit()


def ask(folder: Path, sql: str) -> object:
    with closing(sqlite3.connect(folder / "data" / "clawfeed.db")) as connection:
        row = connection.execute(sql).fetchone()
        return row[0] if row else None


def lines(stderr: str, event: str) -> list[dict[str, object]]:
    logged = [json.loads(line) for line in stderr.splitlines() if line.startswith("{")]
    return [line for line in logged if line["event"] == event]


def test_one_trigger_does_what_there_is_says_so_and_ends(tmp_path: Path) -> None:
    """(S002-1, S002-15)."""
    first = run_clawfeed("cron", cwd=tmp_path)
    change(tmp_path, (_TASK, ("published", 5.0)))
    second = run_clawfeed("cron", "--json", cwd=tmp_path)

    assert (first.returncode, first.stdout) == (0, "nothing to do\n")
    assert (second.returncode, json.loads(second.stdout)) == (0, {"steps": []})
    [line] = lines(second.stderr, "edition triggered")
    assert (line["level"], line["state"], line["action"]) == (
        "info",
        "published",
        "already_published",
    )
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", str(line["date"]))
    assert "at" in line


def test_a_step_is_told_in_one_line(tmp_path: Path) -> None:
    """(S002-17): an edition without items, given up."""
    run_here("migrate", cwd=tmp_path)
    change(tmp_path, (_TASK, ("list_fetched", None)))

    done = run_here("cron", cwd=tmp_path, env={"EDITION_TYPES": "daily"})

    assert done.returncode == 0, done.stderr
    assert re.fullmatch(r"daily \d{4}-\d\d-\d\d: archive, list_fetched → archived\n", done.stdout)


def test_each_edition_is_told_in_a_line_of_its_own(tmp_path: Path) -> None:
    run_here("migrate", cwd=tmp_path)
    other = "UPDATE edition_tasks SET scope = 'set-1'"
    change(
        tmp_path,
        (_TASK, ("processing", None)),
        (other, ()),
        (_TASK, ("list_fetched", None)),
    )

    done = run_here("cron", cwd=tmp_path, env={"EDITION_TYPES": "daily"})

    assert done.returncode == 0, done.stderr
    said = sorted(line.partition(":")[0].split(" ", 2)[2:] for line in done.stdout.splitlines())
    assert said == [[], ["of set-1"]]


@pytest.mark.parametrize("state", [None, "published"])
def test_with_nothing_to_do_it_loads_nothing_that_takes_time(
    tmp_path: Path, state: str | None
) -> None:
    """(S002-2): `bench/bench_startup.py` measures the half second."""
    run_here("cron", cwd=tmp_path)  # the first one makes the database
    if state:
        change(tmp_path, (_TASK, (state, 5.0)))

    done = subprocess.run(
        [sys.executable, "-c", LISTING],
        cwd=tmp_path,
        env=clean_environment(),
        capture_output=True,
        text=True,
        check=True,
    )

    code, loaded = json.loads(done.stdout.splitlines()[-1])
    roots = {name for name in HEAVY for module in loaded if f"{module}.".startswith(f"{name}.")}
    assert code == 0, done.stderr
    assert "clawfeed.digest.triggers.triggers" in loaded
    assert roots == set()


def test_an_exception_is_1_with_its_stack_and_the_state_stays(tmp_path: Path) -> None:
    """(S002-15): it is the next trigger's to try again."""
    run_clawfeed("migrate", cwd=tmp_path)
    story = (
        "INSERT INTO stories (scope, title, first_seen_at, last_seen_at) VALUES ('a', 'b', 1, 1)"
    )
    article = (
        "INSERT INTO edition_articles (task_id, story_id, position, state, result, updated_at) "
        "VALUES (1, 1, 1, 'completed', '{', 0)"
    )
    change(tmp_path, (_TASK, ("aggregating", None)), (story, ()), (article, ()))

    done = run_clawfeed("cron", cwd=tmp_path, env={"EDITION_TYPES": "daily"})

    assert done.returncode == 1
    assert "ValidationError" in done.stdout
    [error] = [line for line in map(json.loads, done.stderr.splitlines()) if "Trace" in str(line)]
    assert error["level"] == "error"
    assert ask(tmp_path, "SELECT state FROM edition_tasks") == "aggregating"
    assert ask(tmp_path, "SELECT leased_by FROM edition_tasks") is None


def test_a_trigger_that_cannot_work_at_all_is_1_and_leaves_no_sign(tmp_path: Path) -> None:
    """(S002-15)."""
    run_clawfeed("migrate", cwd=tmp_path)
    change(tmp_path, ("ALTER TABLE edition_tasks RENAME TO away", ()))

    done = run_clawfeed("cron", cwd=tmp_path)

    assert (done.returncode, done.stdout) == (1, "")
    [error] = lines(done.stderr, "edition trigger failed; the next one tries again")
    assert error["level"] == "error"
    assert ask(tmp_path, "SELECT count(*) FROM collector_execution_state") == 0


@pytest.mark.parametrize("arguments", [["--print", "crontab", "--loop"], ["--loop", "--json"]])
def test_what_does_not_go_together_is_wrong_usage(tmp_path: Path, arguments: list[str]) -> None:
    done = run_here("cron", *arguments, cwd=tmp_path)

    assert done.returncode == 2
    assert "leave out" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_an_interval_below_five_minutes_is_warned_of_once_and_still_runs(tmp_path: Path) -> None:
    """(S002-1)."""
    hasty = run_here("cron", cwd=tmp_path, env={"CRON_INTERVAL_MINUTES": "4"})
    calm = run_here("cron", cwd=tmp_path, env={"CRON_INTERVAL_MINUTES": "5"})

    [warning] = lines(hasty.stderr, "configuration")
    assert (hasty.returncode, calm.returncode) == (0, 0)
    assert warning["level"] == "warning"
    assert "CRON_INTERVAL_MINUTES is 4: 5 or more are recommended" in str(warning["warning"])
    assert lines(calm.stderr, "configuration") == []
    assert lines(hasty.stderr, "edition triggered") != []


def test_every_wrong_setting_of_editions_is_told_at_once(tmp_path: Path) -> None:
    """(S002-18)."""
    wrong = {
        "CRON_INTERVAL_MINUTES": "0",
        "TASK_BATCH_SIZE": "many",
        "MAX_RETRY_COUNT": "-1",
        "EDITION_TYPES": "daily,hourly",
        "EDITION_LANGUAGE": "de",
        "EDITION_TIME": "7:30",
    }

    done = run_here("cron", cwd=tmp_path, env=wrong)

    said = done.stderr.splitlines()
    assert done.returncode == 2
    assert [line.split()[1] for line in said if line.startswith("clawfeed: ")] == list(wrong)
    assert "expected a time of day such as 07:30" in " ".join(done.stderr.split())


def unquoted(line: str) -> tuple[list[str], str]:
    """As cron reads it (crontab(5)): five fields and a command; an unescaped % ends it."""
    *dates, command = line.split(maxsplit=5)
    assert not re.search(r"(?<!\\)%", command)
    return dates, command.replace("\\%", "%")


def test_the_printed_crontab_line_triggers_in_this_folder_from_anywhere(tmp_path: Path) -> None:
    """(S002-1): with the few variables that cron gives, and whatever the folder is called."""
    folder = tmp_path / 'it\'s 100% "mine" $HOME'
    folder.mkdir()
    environment = {"STARTER_PACK": "false", "CRON_INTERVAL_MINUTES": "15"}
    printed = run_clawfeed("cron", "--print", "crontab", cwd=folder, env=environment)
    *notes, line = printed.stdout.splitlines()
    dates, command = unquoted(line)
    kept = clean_environment()
    shell = subprocess.run(
        ["/bin/sh", "-c", command],
        cwd="/",
        env={name: kept[name] for name in kept if name in {"PYTHONPATH", "STARTER_PACK"}},
        capture_output=True,
        text=True,
        check=False,
    )

    assert printed.returncode == 0, printed.stderr
    assert dates == ["*/15", "*", "*", "*", "*"]
    assert all(note.startswith("# ") for note in notes)
    assert "STARTER_PACK" in notes[-1]
    # What goes well makes no mail.
    assert (shell.returncode, shell.stdout, shell.stderr) == (0, "", "")
    assert ask(folder, "SELECT count(*) FROM collector_execution_state") == 1


@pytest.mark.parametrize(
    ("every", "dates"),
    [
        (MINUTE, "* * * * *"),
        (10 * MINUTE, "*/10 * * * *"),
        (HOUR, "0 * * * *"),
        (90 * MINUTE, "0 * * * *"),
        (6 * HOUR, "0 */6 * * *"),
        (24 * HOUR, "0 0 * * *"),
    ],
)
def test_a_crontab_line_comes_as_often_as_the_interval_or_more_often(
    every: timedelta, dates: str
) -> None:
    """(S002-1)."""
    here = Installation(command=("/c",), directory=Path("/d"), every=every, user="u")

    assert crontab(here).splitlines()[-1].startswith(f"{dates} cd /d && ")


@pytest.mark.parametrize(
    ("minutes", "is_exact"),
    [(1, True), (10, True), (60, True), (360, True), (1440, True), (7, False), (90, False)],
)
def test_a_crontab_line_says_where_it_comes_more_often(minutes: int, *, is_exact: bool) -> None:
    """(S002-1)."""
    here = Installation(command=("/c",), directory=Path("/d"), every=minutes * MINUTE, user="u")

    assert len(crontab(here).splitlines()) == (2 if is_exact else 3)


def test_a_path_that_no_timer_can_name_is_one_sentence() -> None:
    here = Installation(command=("/c",), directory=Path("/d\ne"), every=HOUR, user="u")

    for render in (crontab, systemd):
        with pytest.raises(ConfigError, match="a line break"):
            render(here)


def test_the_command_is_named_so_that_it_works_from_anywhere(tmp_path: Path) -> None:
    script = tmp_path / "clawfeed"
    script.touch()

    assert running_command(str(script), "/python") == (str(script),)
    assert running_command(str(tmp_path / "__main__.py"), "/python") == (
        "/python",
        "-m",
        "clawfeed.cli",
    )


def units(text: str) -> dict[str, str]:
    """Each unit by its file's name."""
    parts = re.split(r"^# /etc/systemd/system/(\S+)\n", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def test_the_printed_units_are_a_service_and_its_timer(tmp_path: Path) -> None:
    """(S002-1)."""
    done = run_here("cron", "--print", "systemd", cwd=tmp_path)
    found = units(done.stdout)
    service, timer = configparser.RawConfigParser(), configparser.RawConfigParser()
    service.read_string(found["clawfeed-cron.service"])
    timer.read_string(found["clawfeed-cron.timer"])

    assert service["Service"]["Type"] == "oneshot"
    assert service["Service"]["WorkingDirectory"] == str(tmp_path)
    assert service["Service"]["ExecStart"] == f"{sys.executable} -m clawfeed.cli cron"
    assert timer["Timer"]["OnUnitActiveSec"] == "10min"
    assert timer["Install"]["WantedBy"] == "timers.target"


@pytest.mark.parametrize(
    ("name", "before"), [("a folder; of 100%", ""), ('it\'s "mine" $HOME', "/usr/bin/env ")]
)
def test_paths_are_quoted_as_systemd_reads_them(tmp_path: Path, name: str, before: str) -> None:
    """(S002-1): systemd itself is asked."""
    found = shutil.which("systemd-analyze")
    verify = needed("systemd", Path(found) if found else None)
    folder = tmp_path / name
    folder.mkdir()
    command = folder / "clawfeed"
    command.write_text("#!/bin/sh\n")
    command.chmod(0o700)
    text = systemd(Installation(command=(str(command),), directory=folder, every=HOUR, user="root"))
    for file_name, unit in units(text).items():
        (tmp_path / file_name).write_text(unit)

    escaped = str(command).replace('"', '\\"').replace("%", "%%").replace("$", "$$")
    assert f'ExecStart={before}"{escaped}" cron\n' in text
    assert f"WorkingDirectory={str(folder).replace('%', '%%')}\n" in text
    names = [str(tmp_path / each) for each in units(text)]
    said = subprocess.run([verify, "verify", *names], capture_output=True, text=True, check=False)
    assert "clawfeed-cron" not in said.stderr, said.stderr


def children(pid: int) -> dict[str, int]:
    """The running children of *pid*: their command to their number."""
    numbers = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    found = {}
    for number in numbers:
        words = Path(f"/proc/{number}/cmdline").read_bytes().split(b"\0")
        found[words[3].decode() if len(words) > 3 else ""] = int(number)
    return found


@pytest.mark.slow
def test_the_service_triggers_in_a_process_of_its_own_that_is_started_again(
    tmp_path: Path,
) -> None:
    """(S002-1, S000-22): kill -9 costs one trigger; SIGTERM ends all three."""
    env = {"DIGEST_PORT": str(free_port())}

    with running_clawfeed("run", cwd=tmp_path, env=env) as service:
        service.wait_for("edition triggered")
        before = children(service.process.pid)
        os.kill(before["cron"], signal.SIGKILL)
        wait_until(lambda: service.stderr.count("edition triggered") >= 2)
        after = children(service.process.pid)
        service.signal(signal.SIGTERM)
        code = service.wait()

    assert code == 0, service.stderr
    assert set(before) == set(after) == {"serve", "collect", "cron"}
    assert before["cron"] != after["cron"]
    assert (before["serve"], before["collect"]) == (after["serve"], after["collect"])
    assert '"command": "cron"' in service.stderr
    assert "Traceback" not in service.stderr
    for pid in after.values():
        assert not Path(f"/proc/{pid}").exists()


@pytest.mark.slow
def test_a_loop_alone_triggers_at_once_and_ends_when_it_is_told_to(tmp_path: Path) -> None:
    """(S002-1): for deployments in parts."""
    with running_clawfeed("cron", "--loop", cwd=tmp_path) as loop:
        loop.wait_for("edition triggered")
        loop.signal(signal.SIGTERM)
        code = loop.wait()

    assert code == 0, loop.stderr
    assert "Traceback" not in loop.stderr


def test_status_and_doctor_tell_of_todays_edition_and_when_nobody_triggers(
    tmp_path: Path,
) -> None:
    run_here("migrate", cwd=tmp_path)
    never = run_here("status", cwd=tmp_path).stdout, run_here("doctor", cwd=tmp_path).stdout
    change(tmp_path, (_TASK, ("list_fetched", None)))
    run_here("cron", cwd=tmp_path, env={"EDITION_TYPES": "daily"})
    told = run_here("status", cwd=tmp_path).stdout, run_here("doctor", cwd=tmp_path).stdout

    assert "not begun; nobody triggers it" in never[0].splitlines()[-1]
    assert "never triggered: clawfeed run does it" in " ".join(never[1].split())
    assert re.fullmatch(r"edition \d{4}-\d\d-\d\d: archived", told[0].splitlines()[-1])
    assert "editions" in told[1]
    assert "last triggered" in told[1]


def test_the_settings_of_editions_have_the_contracts_defaults(tmp_path: Path) -> None:
    """(S002-1, S002-5, S002-10)."""
    editions = load_config({}, directory=tmp_path).editions

    assert (editions.interval, editions.batch_size, editions.max_retries) == (10 * MINUTE, 8, 3)
    assert editions.types == ("daily", "weekly", "monthly")
    assert (editions.language, f"{editions.time:%H:%M}") == ("en", "07:30")
