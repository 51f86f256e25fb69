"""The key that seals the secrets of channels, as this installation keeps it."""

from __future__ import annotations

from clawfeed.app.settings.config import Config
from clawfeed.publish.secrets.secret_key import KeyHolder, key_holder


def key_holder_of(config: Config) -> KeyHolder:
    return key_holder(config.publish.secrets_key, config.storage.sqlite_path)
