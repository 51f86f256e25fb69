"""Where a message goes, and with which secrets: both of one moment."""

from __future__ import annotations

from dataclasses import replace

import pytest

from clawfeed.domain.channels.channel import ChannelDraft
from clawfeed.domain.errors import Reason
from clawfeed.domain.ids import ChannelId
from clawfeed.domain.secret import Secret
from clawfeed.publish.channel_targets import Targets
from clawfeed.publish.message import RetryVerdict, SendError
from clawfeed.publish.secrets.secret_box import SecretBox
from clawfeed.publish.secrets.secret_key import SetKey
from clawfeed.storage.channels.channel_secrets import ChannelSecrets, Reseal, SealedSecrets
from clawfeed.storage.channels.channels import ChannelStore
from clawfeed.storage.database import Database
from tests.support.clocks import NOON

BOX = SecretBox(SetKey(Secret("a-key-that-nobody-guesses-0123456789")))
OLD = ChannelDraft(kind="pigeon", address="old", name="p", config={"town": "Ghent"})
NEW = replace(OLD, address="new", config={"town": "Bruges"})


def sealing(token: str) -> Reseal:
    def reseal(channel: ChannelId, _before: SealedSecrets | None) -> SealedSecrets | None:
        return BOX.seal(channel, {"token": Secret(token)}, None)

    return reseal


async def test_a_new_secret_does_not_go_to_the_old_address(database: Database) -> None:
    """Its owner changes both after a message was begun, before its secrets are read."""
    store = ChannelStore(database)
    begun = await store.add(None, OLD, reseal=sealing("for old"), now=NOON)
    await store.change(begun.id, NEW, reseal=sealing("for new"), now=NOON)

    target = await Targets(ChannelSecrets(database), BOX, []).of(begun)

    assert (target.address, target.config) == (NEW.address, NEW.config)
    assert target.secrets["token"].reveal() == "for new"


async def test_to_a_channel_that_is_gone_nothing_is_sent(database: Database) -> None:
    store = ChannelStore(database)
    begun = await store.add(None, OLD, reseal=sealing("for old"), now=NOON)
    await store.remove(begun.id)

    with pytest.raises(SendError) as refused:
        await Targets(ChannelSecrets(database), BOX, []).of(begun)

    assert (refused.value.reason, refused.value.verdict) == (Reason.GONE, RetryVerdict.GIVE_UP)
