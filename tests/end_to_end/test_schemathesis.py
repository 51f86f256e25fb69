"""schemathesis reads our OpenAPI document and asks the running server all it can think of."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.ports import free_port
from tests.support.processes import clean_environment, run_clawfeed, running_clawfeed

EMAIL = "admin@example.org"
# Two of its checks ask for what we do not promise:
# - that whatever fits the schema is accepted: a cursor is ours alone to spell, a password may be
#   too common, a moment may not exist; each is refused in one sentence, and tested as such;
# - that a wrong key is always 401: after twenty guesses in a minute it is 429 (T14). Who gets in
#   without the right is walked over every route in tests/app/test_every_route.py.
NOT_ASKED = "positive_data_acceptance,ignored_auth"


@pytest.mark.slow
@pytest.mark.timeout(240)
def test_the_whole_document_holds_against_the_running_server(tmp_path: Path) -> None:
    port = free_port()
    env = {"DIGEST_PORT": str(port), "API_REQUESTS_PER_MINUTE": "0", "STARTER_PACK": "true"}
    run_clawfeed("user", "add", EMAIL, "--admin", "--link", cwd=tmp_path, env=env)
    made = run_clawfeed(
        "apikey", "create", "--user", EMAIL, "--name", "st", "--scope", "admin",
        cwd=tmp_path, env=env,
    )  # fmt: skip
    key = re.search(r"cf_\w+", made.stdout)
    assert key, made.stderr

    with running_clawfeed("serve", cwd=tmp_path, env=env) as server:
        server.wait_for("listening")
        asked = subprocess.run(
            [
                Path(sys.executable).with_name("st"), "run",
                f"http://127.0.0.1:{port}/openapi.json",
                "--header", f"Authorization: Bearer {key[0]}",
                "--max-examples", "10", "--seed", "1", "--no-color",
                "--exclude-checks", NOT_ASKED,
            ],
            cwd=tmp_path,
            env=clean_environment(),
            capture_output=True,
            text=True,
            check=False,
        )  # fmt: skip

    assert asked.returncode == 0, asked.stdout[-8000:]
    assert "request crashed" not in server.stderr
