"""Whether channels' secrets are safe and can be opened: what `doctor` says of their key."""

from __future__ import annotations

from clawfeed.app.settings.config import Config
from clawfeed.domain.errors import ClawFeedError
from clawfeed.storage.channels.channel_secrets import sealing_keys
from clawfeed.storage.database import Database


def exposed_key(config: Config) -> str | None:
    """A warning if others on this machine may read the key file; it is not made by looking."""
    path = config.storage.sqlite_path
    if path is None or config.publish.secrets_key is not None:
        return None
    from clawfeed.publish.secrets.secret_key import key_file_of  # cryptography is heavy

    file = key_file_of(path)
    if file.exists() and file.stat().st_mode & 0o077:
        return f"other users may read the key file {file}: chmod 600 {file}"
    return None


async def unopened_secrets(config: Config, database: Database) -> str | None:
    """A problem if secrets are stored that nobody here can open."""
    try:
        sealed_with = await sealing_keys(database)
        if not sealed_with:
            return None
        from clawfeed.app.channel_key import key_holder_of

        key = key_holder_of(config).find()
    except ClawFeedError as error:
        return str(error)
    if key is not None and sealed_with == {key.key_id}:
        return None
    if key is not None:
        return "some channels' secrets were sealed with another key: enter them again"
    if config.storage.sqlite_path is None:
        return (
            "SECRETS_KEY is not set, but channels have secrets: set the one they were sealed with"
        )
    return (
        "the key file beside the database is gone, but channels have secrets: "
        "put it back from a backup, or enter them again"
    )
