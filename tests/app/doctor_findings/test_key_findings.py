"""What `doctor` says about the key of channels' secrets."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from clawfeed.app.clock import system_clock
from clawfeed.app.doctor import examine
from clawfeed.app.doctor_findings.finding import Severity
from clawfeed.app.settings.config import Config
from clawfeed.app.settings.config_loading import load_config
from clawfeed.app.wiring.channels import channels_of
from clawfeed.app.wiring.entry_points import opened_database
from clawfeed.domain.secret import Secret
from clawfeed.storage.database import Database
from clawfeed.storage.people.users import UserStore

BOT = Secret("1234567890:a-bot-token-that-opens-nothing-at-all")


async def a_channel_with_a_secret(config: Config, database: Database) -> None:
    admin = channels_of(config, database).admin
    owner = await UserStore(database).local_admin(now=system_clock())
    default_draft = await admin.default_draft(owner)
    draft = replace(default_draft, kind="telegram", address="@chat", secrets={"bot_token": BOT})
    await admin.add(owner, draft, may_get_alarms=True, now=system_clock())


async def said_of_secrets(config: Config) -> list[tuple[Severity, str]]:
    return [(each.decision, each.text) for each in await examine(config) if each.about == "secrets"]


async def test_a_key_file_is_for_its_owner_alone_and_must_not_be_lost(tmp_path: Path) -> None:
    config = load_config({"DATABASE_URL": "sqlite:///mine.db"}, directory=tmp_path)
    async with opened_database(config) as database:
        await a_channel_with_a_secret(config, database)
    [key] = tmp_path.glob("*.key")

    well = await said_of_secrets(config)
    key.chmod(0o644)
    exposed = await said_of_secrets(config)
    key.unlink()
    lost = await said_of_secrets(config)

    assert well == []
    assert exposed == [
        (Severity.WARNING, f"other users may read the key file {key}: chmod 600 {key}")
    ]
    [(decision, text)] = lost
    assert decision is Severity.PROBLEM
    assert "the key file beside the database is gone" in text


async def test_without_its_key_postgresql_keeps_secrets_that_nobody_can_open(
    database_url: str, database: Database, tmp_path: Path
) -> None:
    """On SQLite the key file is meant; another key opens nothing on either."""
    settings = {"DATABASE_URL": database_url}
    set_key = {**settings, "SECRETS_KEY": "a-key-of-the-house-0123456789-abcdef"}
    await a_channel_with_a_secret(load_config(set_key, directory=tmp_path), database)

    found = [
        await said_of_secrets(load_config(each, directory=tmp_path))
        for each in (
            set_key,
            settings,
            {**settings, "SECRETS_KEY": "another-key-of-the-house-0123456789"},
        )
    ]

    assert found[0] == []
    assert found[1][0][0] is Severity.PROBLEM
    wanted = "SECRETS_KEY is not set" if database_url.startswith("postgres") else "key file"
    assert wanted in found[1][0][1]
    assert "sealed with another key" in found[2][0][1]
