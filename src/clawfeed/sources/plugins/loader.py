"""Find collectors in plain Python. A broken one is told, by file and line, and stops no other."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import inspect
import re
import sys
import traceback
from collections.abc import Callable, Container, Iterable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from clawfeed.domain.errors import ConfigError
from clawfeed.domain.ids import JsonValue
from clawfeed.domain.schedule.interval import LONGEST_MINUTES
from clawfeed.domain.sources.type_facts import PLUGIN_KEY
from clawfeed.sources.documents.text_cleaning import clean_text

GROUP: Final = "clawfeed.collectors"
MOST_PARAMS: Final = 1000
LONGEST_COMPLAINT: Final = 200
# A recursion that never ends has a thousand.
MOST_FRAMES: Final = 50
_NAME = re.compile(r"[a-z][a-z0-9_]{0,49}")
_MARKS: Final = ("name", "default_interval_seconds", "fetch")


@dataclass(frozen=True, slots=True, kw_only=True)
class PluginCollector:
    """A collector that was found to be whole. *where* is its file or entry point, for people."""

    name: str
    interval: timedelta
    fetch: Callable[..., Any]
    params: tuple[str, ...] = ()
    wants_http: bool = False
    where: str = ""

    def configs(self) -> list[dict[str, JsonValue]]:
        """The config of each source to make of it: one per parameter, or one without."""
        return [{PLUGIN_KEY: param} for param in self.params] or [{}]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plugins:
    """The collectors that can be used, by name, and one sentence for each place that cannot."""

    found: tuple[PluginCollector, ...] = ()
    problems: tuple[str, ...] = ()


def load_plugins(
    *,
    reserved: Container[str],
    entry_point_group: str = GROUP,
    folder: Path | None = None,
) -> Plugins:
    """Every collector of the installed packages and of *folder*.

    One that cannot be used is a problem of its own, named by file and line: the others load. So
    is one whose name is *reserved*. `ConfigError` only for a folder that is not there.
    """
    found: dict[str, PluginCollector] = {}
    problems: list[str] = []
    for where, load in (*_entry_points(entry_point_group), *_files(folder)):
        try:
            collectors = _collectors(load(), where)
            for collector in collectors:
                _refuse_name(collector, reserved)
                _refuse_twin(collector, found.get(collector.name))
        except _BrokenError as error:
            line = f", line {error.line}" if error.line else ""
            problems.append(f"plug-in {where}{line}: {error}")
        except (Exception, SystemExit) as error:  # noqa: BLE001 - their code runs here
            problems.append(f"plug-in {where}{_line_of(error, where)}: {complaint_of(error)}")
        else:
            found |= {collector.name: collector for collector in collectors}
    return Plugins(found=tuple(found[name] for name in sorted(found)), problems=tuple(problems))


class _BrokenError(Exception):
    """Says what is wrong with a plug-in, in a sentence, and in which line if that is known."""

    def __init__(self, sentence: str, *, line: int = 0) -> None:
        super().__init__(sentence)
        self.line = line


def _refuse_name(collector: PluginCollector, reserved: Container[str]) -> None:
    name, line = collector.name, _line_of_code(collector.fetch)
    if name in reserved:
        raise _BrokenError(f"name must not be {name!r}: that type is built in", line=line)


def _refuse_twin(collector: PluginCollector, twin: PluginCollector | None) -> None:
    if twin:
        raise _BrokenError(
            f"the name {twin.name!r} is already used by {twin.where}",
            line=_line_of_code(collector.fetch),
        )


def _entry_points(group: str) -> Iterator[tuple[str, Callable[[], object]]]:
    for entry in importlib.metadata.entry_points(group=group):
        yield f"{entry.name} ({entry.value})", entry.load


def _files(folder: Path | None) -> Iterator[tuple[str, Callable[[], object]]]:
    if folder is None:
        return
    if not folder.is_dir():
        raise ConfigError(f"PLUGINS_DIR: {folder} is not a folder")
    for path in sorted(folder.glob("*.py")):
        if not path.name.startswith("_"):
            yield path.name, partial(_module, path)


def _module(path: Path) -> ModuleType:
    name = f"clawfeed_plugins.{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise _BrokenError("the file cannot be loaded")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look their module up there
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def _collectors(found: object, where: str) -> list[PluginCollector]:
    """What an entry point or module offers: a collector, several, or a module with some."""
    candidates = _offered(found)
    if not candidates:
        raise _BrokenError(f"no collector in it: one has {', '.join(_MARKS)}")
    return [_located(candidate, where) for candidate in candidates]


def _located(candidate: object, where: str) -> PluginCollector:
    """The candidate, checked; what is wrong with it is said with the line it begins in."""
    try:
        return _checked(candidate, where)
    except _BrokenError as error:
        error.line = error.line or _line_of_code(candidate)
        raise


def _offered(found: object) -> list[object]:
    if isinstance(found, ModuleType):
        listed = getattr(found, "COLLECTORS", None)
        return _offered(listed) if listed is not None else _inside(found)
    if isinstance(found, list | tuple):
        return list(found)
    return [found]


def _inside(module: ModuleType) -> list[object]:
    """The instances in a module, and the classes of its own that have none there."""
    values = list(vars(module).values())
    instances = [v for v in values if not isinstance(v, type) and _is_collector(v)]
    made = {type(instance) for instance in instances}
    classes = [
        v
        for v in values
        if isinstance(v, type) and _is_collector(v) and v.__module__ == module.__name__
    ]
    unique = {id(each): each for each in (*instances, *(c for c in classes if c not in made))}
    return list(unique.values())


def _is_collector(value: object) -> bool:
    return all(hasattr(value, mark) for mark in _MARKS)


def _checked(candidate: object, where: str) -> PluginCollector:
    collector = candidate() if isinstance(candidate, type) else candidate
    missing = [mark for mark in _MARKS if not hasattr(collector, mark)]
    if missing:
        raise _BrokenError(f"{type(collector).__name__} has no {' and no '.join(missing)}")
    fetch = getattr(collector, "fetch")  # noqa: B009 - its type is anybody's guess
    return PluginCollector(
        name=_name(getattr(collector, "name")),  # noqa: B009
        interval=_interval(getattr(collector, "default_interval_seconds")),  # noqa: B009
        fetch=fetch,
        params=_params(getattr(collector, "params", None)),
        wants_http=_wants_http(fetch),
        where=where,
    )


def _name(value: object) -> str:
    if not isinstance(value, str) or not _NAME.fullmatch(value):
        raise _BrokenError("name must be a short text of a-z, 0-9 and _")
    return value


def _interval(value: object) -> timedelta:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _BrokenError("default_interval_seconds must be a number")
    if not 1 <= value <= LONGEST_MINUTES * 60:
        raise _BrokenError("default_interval_seconds must be at least 1, and less than a century")
    return timedelta(seconds=value)


def _params(value: object) -> tuple[str, ...]:
    if value is None:
        return ()
    params = list(value) if isinstance(value, Iterable) and not isinstance(value, str) else [None]
    texts = [p for p in params if isinstance(p, str) and 0 < len(p) <= 200 and p.isprintable()]
    if len(texts) != len(params) or len(set(texts)) != len(texts) or len(texts) > MOST_PARAMS:
        raise _BrokenError("params must be a list of different, short, printable texts")
    return tuple(texts)


def _wants_http(fetch: Callable[..., object]) -> bool:
    """Whether `fetch` takes `http`; refuses one that could not be called."""
    if not inspect.isasyncgenfunction(fetch):
        raise _BrokenError("fetch must be an async generator: `async def` with `yield`")
    signature = inspect.signature(fetch)
    wants = "http" in signature.parameters
    try:
        signature.bind("", **({"http": None} if wants else {}))
    except TypeError as error:
        raise _BrokenError(
            f"fetch must take one parameter, and http if it likes: {error}"
        ) from error
    return wants


def _line_of_code(thing: object) -> int:
    """The line in which a function, a class or an instance's class begins; 0 if nobody knows."""
    is_code = isinstance(thing, type) or inspect.isroutine(thing)
    try:
        return inspect.getsourcelines(thing if is_code else type(thing))[1]  # type: ignore[arg-type]
    except (OSError, TypeError):
        return 0


def _line_of(error: BaseException, where: str) -> str:
    """The line, as in ", line 7", where in the file *where* the error came about."""
    if isinstance(error, SyntaxError) and error.filename and error.lineno:
        return f", line {error.lineno}" if Path(error.filename).name == where else ""
    place = place_of(error, lambda file: Path(file).name == where)
    return f", {place.partition(', ')[2]}" if place else ""


def place_of(error: BaseException, is_theirs: Callable[[str], bool]) -> str:
    """The innermost line of the plug-in's own code, as "tides.py, line 7"; "" if there is none."""
    frames = traceback.extract_tb(error.__traceback__, limit=-MOST_FRAMES)
    for frame in reversed(frames):
        if is_theirs(frame.filename):
            return f"{Path(frame.filename).name}, line {frame.lineno}"
    return ""


def complaint_of(error: BaseException) -> str:
    """What a plug-in's own code raised, in one clean line for people."""
    first, _, _ = str(error).strip().partition("\n")
    said, name = clean_text(first, LONGEST_COMPLAINT), type(error).__name__
    return f"{name}: {said}" if said else name
