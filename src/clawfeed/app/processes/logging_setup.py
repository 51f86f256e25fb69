"""Logs on stderr: one line per record, for people or for machines, without secrets.

Masking happens where lines are made, on the one handler of the root logger, so that the lines
of libraries are covered as well (T17). No text from outside can start a new line (T29).
"""

from __future__ import annotations

import json
import logging
import math
import re
import sys
import traceback
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import TextIO

from clawfeed.app.settings.config import LogConfig
from clawfeed.app.settings.redaction import Redactor, is_secret_name
from clawfeed.domain.ids import JsonValue
from clawfeed.domain.moments import iso
from clawfeed.domain.secret import MASK

# They log every request; ours is one line per poll.
QUIET_LOGGERS = ("aiohttp.access", "asyncio", "uvicorn.access", "uvicorn.error")
# It logs a traceback each time it cannot connect; whoever asked the database says so in a sentence.
SILENT_LOGGERS = ("asyncpg.pool",)
# A hostile title must not fill the disk; a traceback may take more (T29).
LONGEST_TEXT = 4_000
LONGEST_TRACEBACK = 16_000
# Redacted before it is cut, or half a secret would survive; and cut first so far out that
# redacting stays cheap.
LONGEST_INPUT = 65_536
DEEPEST_FIELD = 4

# Controls, line separators, text direction overrides, lone surrogates.
_UNSAFE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)
_SHORT_ESCAPES = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
_STANDARD_FIELDS = frozenset(
    {*logging.makeLogRecord({}).__dict__, "message", "asctime", "taskName"}
)
_COLOURS = {"DEBUG": "2", "INFO": "32", "WARNING": "33", "ERROR": "31", "CRITICAL": "1;31"}


def set_up_logs(
    config: LogConfig, stream: TextIO | None = None, *, secrets: Iterable[str] = ()
) -> logging.Handler:
    """Send all logs to *stream* (stderr), masked; calling it again replaces the earlier set-up."""
    stream = stream or sys.stderr
    level = logging.getLevelNamesMapping()[config.level.upper()]
    handler = LineHandler(stream)
    handler.setFormatter(_formatter(config, stream, Redactor(secrets)))
    root = logging.getLogger()
    for old in [old for old in root.handlers if isinstance(old, LineHandler)]:
        root.removeHandler(old)
    root.addHandler(handler)
    root.setLevel(level)
    for name in QUIET_LOGGERS:
        logging.getLogger(name).setLevel(max(level, logging.WARNING))
    for name in SILENT_LOGGERS:
        logging.getLogger(name).setLevel(logging.CRITICAL)
    return handler


def one_line(text: str) -> str:
    """*text* with everything escaped that could break a line or steer a terminal."""
    return _UNSAFE.sub(_escape, text)


class LineHandler(logging.StreamHandler[TextIO]):
    """Writes lines; one that cannot be written is lost in silence."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 -- logging's name
        # The inherited one prints the record's raw arguments to stderr, secrets and all.
        del record


class LineFormatter(logging.Formatter):
    """Takes a record apart into safe values; the record itself is not changed."""

    def __init__(self, redact: Redactor) -> None:
        super().__init__()
        self._redact = redact

    def event(self, record: logging.LogRecord) -> str:
        try:
            message = record.getMessage()
        except Exception:  # noqa: BLE001 -- a wrong format or a bad __str__ must not cost the line
            message = str(record.msg)
        return self._text(message)

    def fields(self, record: logging.LogRecord) -> dict[str, JsonValue]:
        """The `extra` of a record, and its exception as one text."""
        extra = {key: value for key, value in vars(record).items() if key not in _STANDARD_FIELDS}
        fields = {key: self._field(key, value) for key, value in extra.items()}
        trace = self._trace(record)
        return {**fields, "exception": trace} if trace else fields

    def _trace(self, record: logging.LogRecord) -> str:
        parts = []
        if record.exc_info and record.exc_info[0]:
            parts.append("".join(traceback.format_exception(*record.exc_info)))
        elif record.exc_text:
            parts.append(record.exc_text)
        if record.stack_info:
            parts.append(record.stack_info)
        return self._text("\n".join(parts).strip(), longest=LONGEST_TRACEBACK)

    def _field(self, key: str, value: object, depth: int = 0) -> JsonValue:
        if is_secret_name(key) and value is not None:
            return MASK
        match value:
            case None | bool():
                return value
            case int() | float():
                return _number(value)
            case Mapping() if depth < DEEPEST_FIELD:
                pairs = ((self._text(str(name)), inner) for name, inner in value.items())
                return {name: self._field(name, inner, depth + 1) for name, inner in pairs}
            case list() | tuple() | set() | frozenset() if depth < DEEPEST_FIELD:
                return [self._field(key, inner, depth + 1) for inner in value]
        return self._text(_as_text(value))

    def _text(self, text: str, *, longest: int = LONGEST_TEXT) -> str:
        safe = self._redact(text[:LONGEST_INPUT])
        return safe if len(safe) <= longest else safe[:longest] + "…"


class JsonFormatter(LineFormatter):
    """One JSON object per line: `ts`, `level`, `logger`, `event`, then the fields."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, JsonValue] = {
            "ts": iso(datetime.fromtimestamp(record.created, UTC), to="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "event": self.event(record),
        }
        for key, value in self.fields(record).items():
            line[f"{key}_" if key in line else key] = value
        # Chinese stays readable; what is left to escape can only stand inside strings.
        return _UNSAFE.sub(_escape_json, json.dumps(line, ensure_ascii=False))


class HumanFormatter(LineFormatter):
    """Time, level, event, fields and logger in columns."""

    def __init__(self, redact: Redactor, *, is_coloured: bool) -> None:
        super().__init__(redact)
        self._is_coloured = is_coloured

    def format(self, record: logging.LogRecord) -> str:
        at = datetime.fromtimestamp(record.created, UTC).strftime("%Y-%m-%d %H:%M:%SZ")
        level = self._paint(f"{record.levelname.lower():<8}", _COLOURS.get(record.levelname, "0"))
        event = f"{one_line(self.event(record)):<32}"
        fields = " ".join(
            self._paint(one_line(key) + "=", "36") + _human(value)
            for key, value in self.fields(record).items()
        )
        name = self._paint(f"[{one_line(record.name)}]", "2")
        return " ".join(part for part in (at, level, event, fields, name) if part)

    def _paint(self, text: str, colour: str) -> str:
        return f"\x1b[{colour}m{text}\x1b[0m" if self._is_coloured else text


def _formatter(config: LogConfig, stream: TextIO, redact: Redactor) -> LineFormatter:
    is_terminal = stream.isatty()
    if config.format == "json" or (config.format == "auto" and not is_terminal):
        return JsonFormatter(redact)
    return HumanFormatter(redact, is_coloured=is_terminal and not config.no_color)


def _human(value: JsonValue) -> str:
    if isinstance(value, str) and re.fullmatch(r"[^\s\"'=]+", value):
        return one_line(value)
    return one_line(json.dumps(value, ensure_ascii=False))


def _number(value: float) -> int | float | str:
    """JSON has no infinity; an enum of numbers is its number."""
    if isinstance(value, int):
        return int(value)
    return float(value) if math.isfinite(value) else str(value)


def _as_text(value: object) -> str:
    if isinstance(value, datetime) and value.tzinfo:
        return iso(value, to="milliseconds")
    try:
        return str(value)
    except Exception:  # noqa: BLE001 -- somebody's broken __str__ must not cost the line
        return f"<{type(value).__name__}>"


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    return _SHORT_ESCAPES.get(match[0]) or (f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}")


def _escape_json(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"
