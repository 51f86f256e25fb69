"""Break each line of the contract on purpose, and tell which breakage no test noticed.

docs/contract-mutations/*.toml says what to break and which tests must fail then. It is done in
copies of the tree, never in the tree itself. `--only S000-18,settled 4` takes these lines alone;
`--check` breaks nothing, and only says which entries no longer fit the tree. Ends with 1 if a
breakage went unnoticed, an entry does not fit, or a test fails with nothing broken.
"""
# ruff: noqa: INP001, T201 -- a script that prints

from __future__ import annotations

import argparse
import multiprocessing
import os
import queue
import re
import shutil
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import contract

TABLE: Final = Path("docs/contract-mutations")
NOT_COPIED: Final = (".git", ".venv", ".*_cache", ".hypothesis", "data")
# What pytest says of each test at its end.
OUTCOME: Final = re.compile(r"^(PASSED|FAILED|ERROR|SKIPPED) (tests/\S+)", re.MULTILINE)
# Passed, some failed, or none was left after `-m`; else pytest did not run them.
RAN: Final = frozenset({0, 1, 5})
NOT_NEEDED: Final = ("randomly", "cacheprovider", "schemathesis")
# Loaded once; the process of each breakage is forked off with them. None of them is broken here.
LIBRARIES: Final = ("_pytest.config", "aiohttp", "fastapi", "lxml.html", "orjson", "uvicorn")
PROCESSES: Final = multiprocessing.get_context("forkserver")


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutation:
    """One plausible defect: *old* becomes *new* in *file*, and each of *tests* fails."""

    id: str
    what: str
    file: str
    old: str
    new: str
    tests: Sequence[str]

    def __str__(self) -> str:
        return f"{self.id}: {self.what} ({self.file})"


def main() -> int:
    options = _options()
    root = Path(options.root).resolve()
    mutations = [one for one in table(root) if _is_wanted(one, options.only)]
    misfits = list(complaints(root, mutations, is_whole=not options.only))
    if misfits or options.check:
        print("\n".join(misfits) or f"{len(mutations)} breakages fit the tree.")
        return 1 if misfits else 0
    return prove(root, mutations, options.jobs)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="lines of the contract, with commas between")
    parser.add_argument("--check", action="store_true", help="whether the table fits the tree")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 2, help="breakages at once")
    parser.add_argument("--root", default=contract.ROOT, help="the tree, if not this one")
    return parser.parse_args()


def _is_wanted(mutation: Mutation, only: str) -> bool:
    """All if nothing is asked for; else its line, or its whole document (`S000`)."""
    asked = [word.strip() for word in only.split(",") if word.strip()]
    return not asked or any(
        mutation.id == one or re.split("[- ]", mutation.id)[0] == one for one in asked
    )


def table(root: Path) -> list[Mutation]:
    return [
        Mutation(**entry)
        for path in sorted((root / TABLE).glob("*.toml"))
        for entry in tomllib.loads(path.read_text(encoding="utf-8"))["mutation"]
    ]


def complaints(root: Path, mutations: Sequence[Mutation], *, is_whole: bool) -> Iterator[str]:
    """One sentence for each entry that does not fit the tree, and each line without any."""
    tests = contract.tests(root)
    for one in mutations:
        path = root / one.file
        found = path.read_text(encoding="utf-8").count(one.old) if path.is_file() else 0
        if found != 1:
            yield f"{one}: the old text is found {found} times, not once: {one.old!r}"
        if one.old == one.new:
            yield f"{one}: changes nothing"
        if not one.tests:
            yield f"{one}: names no test"
        yield from (f"{one}: there is no {test}" for test in one.tests if test not in tests)
    if is_whole:
        broken = {one.id for one in mutations}
        proved = contract.citations(root)
        yield from (
            f"{line} has tests, but nothing breaks it" for line in sorted(proved.keys() - broken)
        )


def prove(root: Path, mutations: Sequence[Mutation], jobs: int) -> int:
    """Break everything, and say what nobody noticed; 1 if there was anything."""
    started = time.monotonic()
    PROCESSES.set_forkserver_preload(list(LIBRARIES))
    with tempfile.TemporaryDirectory(prefix="prove-") as folder, ThreadPoolExecutor(jobs) as pool:
        copies = [_copy(root, Path(folder) / str(number)) for number in range(jobs)]
        named = sorted({test for one in mutations for test in one.tests})
        sound = _outcomes(copies[0], named, "-n", str(jobs))
        if unsound := [test for test in named if sound.get(test) != "PASSED"]:
            print("With nothing broken, these do not pass:", *unsound, sep="\n  ")
            return 1
        free: queue.SimpleQueue[Path] = queue.SimpleQueue()
        for copy in copies:
            free.put(copy)
        verdicts = pool.map(lambda one: _noticed(one, free), mutations)
        unnoticed = sum(_tell(one, missed) for one, missed in zip(mutations, verdicts, strict=True))
    seconds = time.monotonic() - started
    print(f"{len(mutations)} breakages, {unnoticed} unnoticed, {seconds:.0f} s")
    return 1 if unnoticed else 0


def _tell(mutation: Mutation, missed: Sequence[str]) -> bool:
    if missed:
        print(f"NOT NOTICED {mutation} by", *missed, sep="\n  ", flush=True)
    else:
        print(f"noticed     {mutation}", flush=True)
    return bool(missed)


def _copy(root: Path, target: Path) -> Path:
    """The tree as it is, with its compiled modules: their dates come along, so they count."""
    return shutil.copytree(root, target, symlinks=True, ignore=shutil.ignore_patterns(*NOT_COPIED))


def _noticed(mutation: Mutation, free: queue.SimpleQueue[Path]) -> list[str]:
    """Which of its tests did not fail in a tree with *mutation*, and what happened instead."""
    copy = free.get()
    path = copy / mutation.file
    kept = path.with_name(path.name + ".kept")
    shutil.copy2(path, kept)
    try:
        text = path.read_text(encoding="utf-8")
        path.write_text(text.replace(mutation.old, mutation.new), encoding="utf-8")
        outcomes = _outcomes(copy, mutation.tests)
    finally:
        kept.replace(path)
        free.put(copy)
    return [
        f"{test} ({outcomes.get(test, 'did not run').lower()})"
        for test in mutation.tests
        if outcomes.get(test) not in {"FAILED", "ERROR"}
    ]


def _outcomes(copy: Path, tests: Sequence[str], *arguments: str) -> dict[str, str]:
    """What became of each of *tests*; one with parameters has failed if it failed with any.

    The fast ones first: SQLite is enough to notice. Only what is slow altogether runs as such.
    """
    outcomes = _run(copy, tests, "-m", "not slow", *arguments)
    if slow := [test for test in tests if test not in outcomes]:
        outcomes |= _run(copy, slow, "-m", "slow", *arguments)
    return outcomes


def _run(copy: Path, tests: Sequence[str], *arguments: str) -> dict[str, str]:
    fixed = ["-q", "--tb=no", "-rpfEs", "-W", "ignore::pytest.PytestAssertRewriteWarning"]
    without = [word for name in NOT_NEEDED for word in ("-p", f"no:{name}")]
    report = copy.with_suffix(".report")
    pytest_process = PROCESSES.Process(
        target=_test, args=(copy, [*fixed, *without, *arguments, *tests], report)
    )
    pytest_process.start()
    pytest_process.join()
    said = report.read_text(encoding="utf-8", errors="replace")
    if pytest_process.exitcode not in RAN:
        return dict.fromkeys(tests, f"not run: {' '.join(said.strip().splitlines()[-1:])}")
    return _by_test(said)


def _test(copy: Path, arguments: list[str], report: Path) -> None:
    """In a process of its own: run pytest on the copy and its modules, and end as it ends.

    Nothing compiled is written down: two breakages of one file may share a second.
    """
    import pytest

    os.chdir(copy)
    os.environ["PYTHONPATH"] = str(copy / "src")
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    sys.dont_write_bytecode = True
    sys.path[:0] = [str(copy), str(copy / "src")]
    with report.open("w", encoding="utf-8") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    sys.exit(pytest.main(arguments))


def _by_test(report: str) -> dict[str, str]:
    outcomes: dict[str, str] = {}
    for outcome, node in OUTCOME.findall(report):
        test = node.split("[")[0]
        if outcomes.get(test) not in {"FAILED", "ERROR"}:
            outcomes[test] = outcome
    return outcomes


if __name__ == "__main__":
    sys.exit(main())
