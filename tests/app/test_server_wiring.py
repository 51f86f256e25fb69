"""Settings of sign-in that cannot work together are refused at start."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.in_process import run_here
from tests.support.ports import free_port


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"OIDC_ISSUER": "https://id.example/"}, "OIDC_CLIENT_ID"),
        ({"GOOGLE_CLIENT_ID": "x"}, "GOOGLE_CLIENT_SECRET"),
        ({"REGISTRATION": "true", "OIDC_LINK_BY_EMAIL": "true"}, "cannot both be on"),
    ],
)
def test_a_half_set_up_sign_in_is_one_sentence_and_exit_2(
    tmp_path: Path, settings: dict[str, str], sentence: str
) -> None:
    """(S002-18)."""
    env = {"DIGEST_PORT": str(free_port()), **settings}

    done = run_here("serve", cwd=tmp_path, env=env)

    assert done.returncode == 2
    assert sentence in done.stderr
    assert "Traceback" not in done.stderr
