"""Seals the secrets of channels, so that the database alone gives none away (decision 0016).

Each secret is sealed by itself, for its channel and under its name: a row that was moved to another
channel, or a token that was put in the place of a password, does not open.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from clawfeed.domain.errors import Reason
from clawfeed.domain.ids import ChannelId
from clawfeed.domain.secret import Secret
from clawfeed.publish.message import RetryVerdict, SendError
from clawfeed.publish.secrets.secret_key import KeyHolder
from clawfeed.storage.channels.channel_secrets import SealedSecrets

_NONCE_BYTES = 12


class SecretBox:
    """Seals with the house's key, and opens what was sealed with it."""

    def __init__(self, keys: KeyHolder) -> None:
        self._keys = keys

    def seal(
        self, channel: ChannelId, new: Mapping[str, Secret], kept: SealedSecrets | None = None
    ) -> SealedSecrets | None:
        """*new* together with what is *kept* of before; None if there is no secret at all.

        What was sealed with another key cannot be opened any more, and is dropped.
        `InvalidInputError` if there is no key to seal with.
        """
        usable = kept if kept and self.can_open(kept) else None
        if not new:
            return usable
        key = self._keys.get_or_make()
        cipher = AESGCM(key.sealing)
        by_name = dict(usable.by_name) if usable else {}
        for name, secret in new.items():
            nonce = secrets.token_bytes(_NONCE_BYTES)
            text = secret.reveal().encode("utf-8", "surrogatepass")
            by_name[name] = nonce + cipher.encrypt(nonce, text, _bound_to(channel, name))
        return SealedSecrets(by_name=by_name, key_id=key.key_id)

    def can_open(self, sealed: SealedSecrets) -> bool:
        """Whether it was sealed with the key of today."""
        key = self._keys.find()
        return key is not None and key.key_id == sealed.key_id

    def open(self, channel: ChannelId, sealed: SealedSecrets | None) -> dict[str, Secret]:
        """The channel's secrets, to be sent with; `SendError` if they do not open."""
        if sealed is None:
            return {}
        key = self._keys.find()
        if key is None or key.key_id != sealed.key_id:
            raise _unreadable("were sealed with another key")
        cipher = AESGCM(key.sealing)
        try:
            return {
                name: Secret(
                    cipher.decrypt(
                        each[:_NONCE_BYTES], each[_NONCE_BYTES:], _bound_to(channel, name)
                    ).decode("utf-8", "surrogatepass")
                )
                for name, each in sealed.by_name.items()
            }
        except (InvalidTag, ValueError):
            raise _unreadable("are damaged") from None


def _bound_to(channel: ChannelId, name: str) -> bytes:
    return f"channel {channel}: {name}".encode()


def _unreadable(why: str) -> SendError:
    return SendError(
        Reason.MISCONFIGURED,
        f"the secrets of this channel {why}: enter them again",
        verdict=RetryVerdict.PAUSE,
    )
