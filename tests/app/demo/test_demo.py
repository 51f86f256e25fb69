"""The demo's stage: a product that knows its own world and nothing of the operator's."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from clawfeed.app.clock import system_clock
from clawfeed.app.demo.demo import (
    SimulatedWorld,
    follow_everything,
    guest_link,
    open_to_commands,
    stage,
)
from clawfeed.app.settings.config_loading import load_config
from clawfeed.app.settings.setting_table import SettingTable
from clawfeed.app.wiring.people import signing_in_of
from clawfeed.auth.client_address import Client
from clawfeed.domain.secret import Secret
from clawfeed.simulator import channel_settings, settings
from clawfeed.sources.source_types.built_in import BUILT_IN
from clawfeed.storage.database import Database
from clawfeed.storage.people.users import UserStore
from clawfeed.storage.sources.sources import SourceStore
from tests.support.processes import clean_environment

URL = "http://127.0.0.1:4711"
WORLD = SimulatedWorld(url=URL, mail_url="smtp://127.0.0.1:4713")


def test_no_setting_of_the_operator_reaches_the_demo(tmp_path: Path) -> None:
    """Every setting there is, as text and as a file, and the two families of names."""
    names = [setting.name + end for setting in SettingTable(BUILT_IN).all for end in ("", "_FILE")]
    families = ["CUSTOM_API_ACME", "CUSTOM_API_ACME_HOST", "FETCH_INTERVAL_TIDES"]
    mine = dict.fromkeys([*names, *families, "fetch_interval_rss"], "the operator's")

    play = stage(WORLD, tmp_path, host="127.0.0.1", port=4712, environ={**mine, "HOME": "/home/me"})

    assert "the operator's" not in play.environment.values()
    assert not {"PLUGINS_DIR", "DATABASE_URL_FILE", *families} & play.environment.keys()
    assert play.environment["HOME"] == "/home/me"
    theirs = {**settings(URL), **channel_settings(URL, WORLD.mail_url)}
    assert theirs.items() <= play.environment.items()


def test_the_processes_of_the_demo_read_what_the_stage_decided(tmp_path: Path) -> None:
    play = stage(WORLD, tmp_path, host="127.0.0.1", port=4712, environ=clean_environment())

    theirs = load_config(play.environment, directory=tmp_path)

    assert theirs == play.config
    assert theirs.server.port == 4712
    assert theirs.storage.sqlite_path == tmp_path / "demo.db"
    assert theirs.sources.plugins_dir is None


async def test_the_demos_link_signs_in_though_the_server_starts_after_it(
    database: Database, tmp_path: Path
) -> None:
    """A start gives an admin without a password a new link, and the old one ends."""
    play = stage(WORLD, tmp_path, host="127.0.0.1", port=4712, environ={})
    signing_in = signing_in_of(play.config, database)

    link = await guest_link(play.config, database, system_clock())
    replaced_by = await signing_in.first_admin_link()
    token = link.removeprefix("http://127.0.0.1:4712/setup/")
    session = await signing_in.setup(token, "four unrelated words", Client(address="127.0.0.1"))

    assert replaced_by is None
    assert session.user.is_admin


async def test_the_demos_guest_is_alone_and_its_own_x_is_theirs(
    database: Database, tmp_path: Path
) -> None:
    """(S001-20) So `X_USER_TOKEN` reads it, and nothing in the demo waits for a login."""
    play = stage(WORLD, tmp_path, host="127.0.0.1", port=4712, environ={})

    await guest_link(play.config, database, system_clock())
    await follow_everything(database, URL, system_clock())

    [guest] = await UserStore(database).list()
    own = {each.created_by for each in await SourceStore(database).list() if not each.is_public}
    assert own == {guest.user.id}


def test_commands_find_the_demo_from_its_folder(tmp_path: Path) -> None:
    key = Secret("a-key-of-the-operators-own-0123456789")
    play = stage(WORLD, tmp_path, host="127.0.0.1", port=4712, environ={}, api_key=key)

    open_to_commands(play, tmp_path)

    theirs = load_config({}, directory=tmp_path)
    assert theirs.storage.sqlite_path == tmp_path / "demo.db"
    assert theirs.egress == play.config.egress
    assert theirs.type_settings == play.config.type_settings
    assert theirs.warnings == ()
    assert key.reveal() not in (tmp_path / ".env").read_text()


def test_the_demo_finds_its_modules_from_another_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    paths = os.pathsep.join(["src", sys.prefix])

    play = stage(WORLD, tmp_path, host="127.0.0.1", port=1, environ={"PYTHONPATH": paths})

    assert play.environment["PYTHONPATH"].split(os.pathsep) == [str(tmp_path / "src"), sys.prefix]
