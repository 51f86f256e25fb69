"""schemathesis reads our OpenAPI document and asks the running server all it can think of."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.support.ports import free_port
from tests.support.processes import clean_environment, running_clawfeed

# The operator's: whatever is tried, no request can revoke it.
KEY = "0123456789abcdef0123456789abcdef"
# One of its checks asks for what we do not promise, that whatever fits the schema is accepted: a
# cursor is ours alone to spell, a password may be too common, a moment may not exist; each is
# refused in one sentence, and tested as such.
NOT_ASKED = "positive_data_acceptance"


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_the_whole_document_holds_against_the_running_server(tmp_path: Path) -> None:
    port = free_port()
    env = {"DIGEST_PORT": str(port), "API_REQUESTS_PER_MINUTE": "0", "STARTER_PACK": "true"}
    env["API_KEY"] = KEY
    with running_clawfeed("serve", cwd=tmp_path, env=env) as server:
        server.wait_for("listening")
        asked = subprocess.run(
            [
                Path(sys.executable).with_name("st"), "run",
                f"http://127.0.0.1:{port}/openapi.json",
                "--header", f"Authorization: Bearer {KEY}",
                "--max-examples", "5", "--seed", "1", "--no-color",
                "--exclude-checks", NOT_ASKED,
                "--report", "har", "--report-har-path", "asked.har",
            ],
            cwd=tmp_path,
            env=clean_environment(),
            capture_output=True,
            text=True,
            check=False,
        )  # fmt: skip

    assert asked.returncode == 0, asked.stdout[-8000:]
    entries = json.loads((tmp_path / "asked.har").read_text())["log"]["entries"]
    statuses = Counter(entry["response"]["status"] for entry in entries)
    # It stayed signed in and was hardly ever sent away; else it would only have tried the door.
    # What is 401 are its own tries without a key and with a wrong one.
    sent_away = statuses[401] + statuses[429]
    assert sent_away < statuses.total() / 10, statuses
    assert "request crashed" not in server.stderr
