"""The server at its start: it refuses settings that cannot work, and stores what they name."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from clawfeed.app.processes.worker_group import Service
from clawfeed.app.settings.config_loading import load_config
from clawfeed.app.wiring.entry_points import existing_database, opened_server
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


async def test_a_server_alone_knows_the_channels_of_the_settings(tmp_path: Path) -> None:
    """(S002-7): editions are asked for there, too, and go to whoever has a row by then."""
    settings = {"TELEGRAM_BOT_TOKEN": "123456789:" + "A" * 35, "TELEGRAM_CHANNEL_ID": "@news"}
    house = {"STARTER_PACK": "false", "DIGEST_PORT": str(free_port()), "PARSE_WORKERS": "1"}
    config = load_config({**house, **settings}, directory=tmp_path)

    async with opened_server(config) as workers:
        service = Service(workers)
        running = asyncio.create_task(service.run())
        async with existing_database(config) as database:
            rows = await database.read("SELECT kind, address, origin FROM channels")
        service.stop()
        await running

    stored = [(row["kind"], row["address"], row["origin"]) for row in rows]
    assert stored == [("telegram", "@news", "environment")]
