"""A configured secret is seen by whoever reveals it, and by nobody else (T17)."""

from __future__ import annotations

from pathlib import Path

import pytest

from clawfeed.app.settings.config_loading import load_config
from clawfeed.app.settings.setting_table import SettingTable
from clawfeed.app.settings.value_kinds import KEY
from clawfeed.domain.errors import ConfigError
from clawfeed.domain.secret import Secret
from clawfeed.domain.settings.value_kinds import SECRET
from clawfeed.sources.source_types.built_in import BUILT_IN

SECRET_NAMES = [each.name for each in SettingTable(BUILT_IN).all if each.kind in (KEY, SECRET)]
HARD_TO_GUESS = "swordfish-0123456789abcdef"


def canaries() -> dict[str, str]:
    return {name: f"canary-{name.lower()}-7f3a91" for name in SECRET_NAMES}


def test_no_secret_is_in_the_repr_or_the_description(tmp_path: Path) -> None:
    environ = canaries() | {
        "DATABASE_URL": "postgresql://user:canary%2Fdb@db/feeds",
        "X_BRIDGES": "https://a.example/{handle}?key=canary, https://b.example/canary/{query}",
    }

    config = load_config(environ, directory=tmp_path)

    shown = repr(config) + str(config.describe()) + str(config.secrets)
    assert "canary" not in shown
    assert ("DATABASE_URL", "postgresql://***@db/feeds", "environment") in config.describe()
    assert ("API_KEY", "***", "environment") in config.describe()
    assert ("X_BRIDGES", "a.example, b.example", "environment") in config.describe()
    assert set(canaries().values()) | {"canary%2Fdb", "canary/db"} == set(config.secret_texts())


def test_a_setting_of_a_secret_kind_is_a_secret() -> None:
    careless = {
        each.name for each in SettingTable(BUILT_IN).all if each.kind.is_secret and not each.secret
    }

    assert careless == set()


def test_no_secret_is_in_the_problems(tmp_path: Path) -> None:
    environ = {name: text + "\x00" for name, text in canaries().items()}
    environ |= {
        "DATABASE_URL": "mysql://u:canary@db",
        "BASE_URL": "http://u:canary@x",
        "X_BRIDGES": "https://u:canary@x/{handle}?token=canary",
    }

    with pytest.raises(ConfigError) as caught:
        load_config(environ, directory=tmp_path)

    assert len(caught.value.problems) == len(environ)
    assert "canary" not in str(caught.value)


@pytest.mark.parametrize("place", ["environment", ".env", "yaml"])
def test_a_secret_may_come_from_a_file(tmp_path: Path, place: str) -> None:
    (tmp_path / "key").write_text(f"{HARD_TO_GUESS}\n")
    (tmp_path / ".env").write_text("API_KEY_FILE=key\n" if place == ".env" else "")
    (tmp_path / "c.yaml").write_text("server: {api_key_file: key}" if place == "yaml" else "")
    environ = {"API_KEY_FILE": "key"} if place == "environment" else {}

    config = load_config({**environ, "CONFIG_FILE": "c.yaml"}, directory=tmp_path)

    assert config.server.api_key == Secret(HARD_TO_GUESS)
    assert config.origin["API_KEY"] == place


def test_a_file_in_a_stronger_place_beats_a_text_in_a_weaker_one(tmp_path: Path) -> None:
    (tmp_path / "url").write_text("postgresql://u:p@db/feeds")
    (tmp_path / ".env").write_text("DATABASE_URL=other.db\n")
    (tmp_path / ".env").chmod(0o600)

    config = load_config({"DATABASE_URL_FILE": "url"}, directory=tmp_path)

    assert config.storage.database_url == "postgresql://u:p@db/feeds"
    assert config.warnings == ()


def test_a_setting_that_is_no_secret_has_no_file(tmp_path: Path) -> None:
    (tmp_path / "port").write_text("99")

    config = load_config({"DIGEST_PORT_FILE": "port"}, directory=tmp_path)

    assert config.server.port == 8767


def test_a_secret_too_short_for_the_redactor_is_still_not_described(tmp_path: Path) -> None:
    config = load_config({"X_BEARER_TOKEN": "abc"}, directory=tmp_path)

    assert ("X_BEARER_TOKEN", "***", "environment") in config.describe()
    assert "abc" not in config.written.values()


def test_header_secrets_come_from_dotenv_and_environment_and_are_masked_in_logs(
    tmp_path: Path,
) -> None:
    """(T17): `custom_api` headers; where one may go is no secret."""
    (tmp_path / ".env").write_text(
        "CUSTOM_API_ACME=from-dotenv-1234\nCUSTOM_API_ACME_HOST=api.acme.example\n"
    )
    (tmp_path / ".env").chmod(0o600)

    config = load_config({"CUSTOM_API_OTHER": "from-environment"}, directory=tmp_path)

    assert config.header_secrets == {
        "CUSTOM_API_ACME": "from-dotenv-1234",
        "CUSTOM_API_ACME_HOST": "api.acme.example",
        "CUSTOM_API_OTHER": "from-environment",
    }
    assert {"from-dotenv-1234", "from-environment"} <= set(config.secret_texts())
    assert "api.acme.example" not in config.secret_texts()
