"""One line per record, for machines or people, and no secrets in it."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from clawfeed.app.processes.logging_setup import QUIET_LOGGERS, LineHandler, one_line, set_up_logs
from clawfeed.app.settings.config import LogConfig
from clawfeed.domain.secret import Secret

NASTY = 'a\r\nlevel=error "b" \x1b[31mred\x00\x7f\x85\u2028\u202e\ud800 中文'
log = logging.getLogger("clawfeed.test")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def _logging_as_before() -> Iterator[None]:
    root = logging.getLogger()
    levels = {name: logging.getLogger(name).level for name in ("", *QUIET_LOGGERS)}
    yield
    for handler in [old for old in root.handlers if isinstance(old, LineHandler)]:
        root.removeHandler(handler)
    for name, level in levels.items():
        logging.getLogger(name).setLevel(level)


def start(stream: io.StringIO, *, secrets: tuple[str, ...] = (), **changes: Any) -> logging.Handler:
    settings = {"level": "info", "format": "auto", **changes}
    return set_up_logs(LogConfig(**settings), stream, secrets=secrets)


def send(handler: logging.Handler, message: str, extra: dict[str, Any]) -> None:
    """Log past pytest: its report of captured lines cannot travel with a lone surrogate."""
    handler.handle(logging.makeLogRecord({"msg": message, "levelname": "INFO", **extra}))


def lines(stream: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def test_a_pipe_gets_json_with_the_fields_of_extra() -> None:
    stream = io.StringIO()
    start(stream)

    log.info("poll finished", extra={"source": 3, "new": 2, "took": 0.5, "ok": True, "why": None})

    [line] = lines(stream)
    assert line.pop("ts").endswith("Z")
    assert line == {
        "level": "info",
        "logger": "clawfeed.test",
        "event": "poll finished",
        "source": 3,
        "new": 2,
        "took": 0.5,
        "ok": True,
        "why": None,
    }


def test_the_time_is_the_records_own() -> None:
    handler = start(io.StringIO())
    record = logging.makeLogRecord({"msg": "then", "created": 1_700_000_000.25})

    line = json.loads(handler.format(record))

    assert line["ts"] == "2023-11-14T22:13:20.250Z"


def test_values_json_does_not_know_become_text() -> None:
    stream = io.StringIO()
    start(stream)
    moment = datetime(2026, 11, 15, tzinfo=UTC)

    log.info("x", extra={"at": moment, "n": float("nan"), "many": {1}, "e": ValueError("no")})

    [line] = lines(stream)
    assert line["at"] == "2026-11-15T00:00:00.000Z"
    assert (line["n"], line["many"], line["e"]) == ("nan", [1], "no")


def test_a_field_cannot_replace_what_the_line_itself_says() -> None:
    stream = io.StringIO()
    start(stream)

    log.info("real", extra={"event": "forged", "level": "error"})

    [line] = lines(stream)
    assert (line["event"], line["level"], line["event_"]) == ("real", "info", "forged")


@pytest.mark.parametrize("form", ["json", "human"])
def test_whatever_is_logged_stays_one_line_without_control_characters(form: str) -> None:
    """(T29)."""
    stream = io.StringIO()
    handler = start(stream, format=form)

    send(handler, NASTY, {"title": NASTY, NASTY: [NASTY], "deep": {NASTY: NASTY}, "name": NASTY})

    text = stream.getvalue()
    assert text.endswith("\n")
    assert all(char.isprintable() for char in text[:-1])
    assert "中文" in text
    text.encode("utf-8")


def test_a_json_line_gives_back_what_went_in() -> None:
    stream = io.StringIO()
    handler = start(stream)

    send(handler, "x", {"title": NASTY})

    assert lines(stream)[0]["title"] == NASTY


@pytest.mark.parametrize("form", ["json", "human"])
def test_an_exception_is_part_of_the_line(form: str) -> None:
    stream = io.StringIO()
    start(stream, format=form)

    try:
        raise ValueError("bad\nthing")  # noqa: TRY301 -- a traceback is needed
    except ValueError:
        log.exception("poll failed", extra={"source": 3})

    [line] = stream.getvalue().splitlines()
    assert "Traceback" in line
    assert "ValueError: bad\\nthing" in line


def test_no_secret_leaves_by_message_arguments_fields_or_exception() -> None:
    """(T17)."""
    stream = io.StringIO()
    start(stream, secrets=("canary-exact",))
    url = "https://u:canary@x.example/?token=canary"

    log.info("got %s and %s", url, "canary-exact")
    log.info("canary-exact", extra={"url": url, "list": [url], "map": {"Authorization": "canary"}})
    log.info(
        "x", extra={"api_key": "canary", "key": Secret("canary"), "o": {"a": ("canary-exact",)}}
    )
    try:
        raise ValueError(url) from KeyError("canary-exact")  # noqa: TRY301 -- ditto
    except ValueError:
        log.exception("failed")

    assert len(lines(stream)) == 4
    assert "canary" not in stream.getvalue()


def test_the_lines_of_libraries_are_masked_too() -> None:
    """(T17)."""
    stream = io.StringIO()
    start(stream)

    logging.getLogger("aiohttp.client").warning("GET https://u:canary@x.example/")
    logging.getLogger("asyncio").warning("Authorization: Bearer canary")

    assert len(lines(stream)) == 2
    assert "canary" not in stream.getvalue()


def test_chatty_libraries_are_quiet_and_the_level_is_obeyed() -> None:
    stream = io.StringIO()
    start(stream, level="debug")
    logging.getLogger("aiohttp.access").info("GET /")
    logging.getLogger("uvicorn.access").info("GET /")
    log.debug("heard")
    start(stream, level="error")
    logging.getLogger("asyncio").warning("slow")
    log.warning("not heard")

    assert [line["event"] for line in lines(stream)] == ["heard"]


def test_a_terminal_gets_aligned_coloured_lines() -> None:
    stream = Terminal()
    start(stream)

    log.info("poll finished", extra={"source": 3, "title": "two words"})
    log.warning("poll failed", extra={"source": 4})

    first, second = stream.getvalue().splitlines()
    assert "\x1b[32minfo    \x1b[0m poll finished" in first
    assert 'title=\x1b[0m"two words"' in first
    assert first.index("source") == second.index("source")


@pytest.mark.parametrize(
    ("stream", "changes", "is_json", "is_coloured"),
    [
        (io.StringIO, {}, True, False),
        (io.StringIO, {"format": "human"}, False, False),
        (Terminal, {}, False, True),
        (Terminal, {"no_color": True}, False, False),
        (Terminal, {"format": "json"}, True, False),
    ],
)
def test_the_form_follows_the_setting_and_the_stream(
    stream: type[io.StringIO], changes: dict[str, Any], *, is_json: bool, is_coloured: bool
) -> None:
    out = stream()
    start(out, **changes)

    log.info("hello")

    assert out.getvalue().startswith("{") == is_json
    assert ("\x1b" in out.getvalue()) == is_coloured


def test_setting_up_twice_logs_once() -> None:
    first, second = io.StringIO(), io.StringIO()
    start(first)
    start(second)

    log.info("hello")

    assert first.getvalue() == ""
    assert len(lines(second)) == 1


def test_a_wrong_format_or_a_bad_object_does_not_cost_the_line() -> None:
    class Bad:
        def __str__(self) -> str:
            raise RuntimeError

    handler = start(io.StringIO())
    record = logging.makeLogRecord({"msg": "%d items", "args": ("three",), "thing": Bad()})

    line = json.loads(handler.format(record))

    assert (line["event"], line["thing"]) == ("%d items", "<Bad>")


def test_a_line_that_cannot_be_written_is_lost_in_silence(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """(T17). The standard handler would print the raw arguments to stderr."""
    stream = io.StringIO()
    start(stream)
    stream.close()

    log.info("got %s", "canary")

    captured = capsys.readouterr()
    assert captured.err == ""


def test_a_huge_text_is_cut() -> None:
    """(T29)."""
    stream = io.StringIO()
    start(stream)

    log.info("x" * 1_000_000, extra={"title": "y" * 1_000_000})

    assert len(stream.getvalue()) < 10_000


def test_one_line_escapes_what_steers_a_terminal() -> None:
    assert one_line("a\n\x1b[0m\u202e中") == "a\\n\\x1b[0m\\u202e中"
