"""The real command in the test's own process: what it says and does, at a fifth of the price.

That a process starts, ends with this code, and meets signals and closed streams is proved with
real ones (`tests/cli/test_commands.py`).
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from subprocess import CompletedProcess

from clawfeed.cli.main import main
from tests.support.processes import clean_environment


def run_here(
    *arguments: str, cwd: Path, env: Mapping[str, str] | None = None
) -> CompletedProcess[str]:
    """Run `clawfeed ARGUMENTS` to its end; like `run_clawfeed`, but where no event loop runs."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8") for _ in range(2))
    house = only_environment(clean_environment(**(env or {})))
    with house, chdir(cwd), redirect_stdout(out), redirect_stderr(err):
        code = _exit_code(arguments)
    return CompletedProcess(arguments, code, _written(out), _written(err))


def _exit_code(arguments: Sequence[str]) -> int:
    try:
        return main(arguments)
    except SystemExit as end:
        return int(end.code or 0)


@contextmanager
def only_environment(environment: Mapping[str, str]) -> Iterator[None]:
    """Give this process these variables and no others; afterwards they are as before."""
    before = dict(os.environ)
    os.environ.clear()
    os.environ.update(environment)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def _written(stream: io.TextIOWrapper) -> str:
    stream.seek(0)
    return stream.read()
