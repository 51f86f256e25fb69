"""Links that pause a channel with one click: signed, so that nobody makes one up (RFC 8058)."""

from __future__ import annotations

import base64
import hashlib
import hmac
import logging
import re

from clawfeed.domain.errors import InvalidInputError, StorageError
from clawfeed.domain.ids import ChannelId
from clawfeed.publish.secrets.secret_key import KeyHolder

log = logging.getLogger(__name__)

PATH = "/unsubscribe/"
_TOKEN = re.compile(r"([1-9][0-9]{0,15})\.([A-Za-z0-9_-]{43})")


class Unsubscribing:
    """Makes the links, and reads them again. They work as long as the house's key is the same."""

    def __init__(self, keys: KeyHolder, base_url: str) -> None:
        self._keys, self._base_url = keys, base_url.rstrip("/")

    def link(self, channel: ChannelId) -> str:
        """The link; "" in a house without a key: better an e-mail without it than none."""
        try:
            key = self._keys.get_or_make().signing
        except (InvalidInputError, StorageError) as error:
            log.warning("e-mails go without a link to unsubscribe", extra={"why": str(error)})
            return ""
        return f"{self._base_url}{PATH}{channel}.{_signature(key, channel)}"

    def channel_in(self, token: str) -> ChannelId | None:
        """The channel that a link of ours is for; None for anything else, whatever there is."""
        found, key = _TOKEN.fullmatch(token), self._keys.find()
        if found is None or key is None:
            return None
        channel = ChannelId(int(found[1]))
        is_ours = hmac.compare_digest(_signature(key.signing, channel), found[2])
        return channel if is_ours else None


def _signature(key: bytes, channel: ChannelId) -> str:
    signed = hmac.new(key, f"unsubscribe {channel}".encode(), hashlib.sha256).digest()
    return base64.urlsafe_b64encode(signed).decode().rstrip("=")
