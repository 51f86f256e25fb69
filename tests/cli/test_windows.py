"""On Windows: one sentence that names the way out, before anything that Windows lacks is needed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.processes import clean_environment

# What Python has on Unix only, and a dependency that is not installed on Windows.
NOT_THERE = ("fcntl", "grp", "posix", "pwd", "resource", "termios", "uvloop")
SCRIPT = f"""
import sys
for name in {NOT_THERE}:
    sys.modules[name] = None
from clawfeed.cli.main import main
code = main(sys.argv[1:], platform="win32")
print([name for name in sys.modules if name.startswith("clawfeed.app")])
sys.exit(code)
"""


@pytest.mark.parametrize("arguments", [["run"], ["status"], ["--help"], []], ids=" ".join)
def test_windows_is_refused_in_one_sentence_that_says_where_it_runs(
    arguments: list[str], tmp_path: Path
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, *arguments],
        cwd=tmp_path,
        env=clean_environment(),
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 1
    assert done.stderr.startswith("clawfeed: ClawFeed does not run on Windows")
    assert done.stderr.count("\n") == 1
    assert "WSL" in done.stderr
    assert "Docker" in done.stderr
    assert done.stdout == "[]\n"
    assert list(tmp_path.iterdir()) == []
