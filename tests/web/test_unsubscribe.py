"""The link at the end of a letter: looking changes nothing, one click ends it (RFC 8058)."""

from __future__ import annotations

import pytest

from clawfeed.domain.editions.delivery import ChannelState, PauseReason
from clawfeed.domain.ids import ChannelId
from clawfeed.domain.secret import Secret
from clawfeed.publish.mail.unsubscribe import Unsubscribing
from clawfeed.publish.secrets.secret_key import SetKey
from clawfeed.storage.database import Database
from tests.api.channel_server import BASE, KEY, opened
from tests.support.api_callers import ANNA, BEN, as_user

pytestmark = pytest.mark.one_database

ONE = ChannelId(1)
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
# A mailbox in a browser may send all of this; it proves nothing, and needs not.
MAILBOX = {**FORM, "Origin": "https://mail.example", "Sec-Fetch-Site": "cross-site"}
CLICK = b"List-Unsubscribe=One-Click"


async def test_one_click_pauses_the_channel_and_looking_does_not(database: Database) -> None:
    async with opened(database) as house:
        await house.add(as_user(ANNA))
        await house.add(as_user(BEN))
        path = house.unsubscribing.link(ONE).removeprefix(BASE)
        page = await house.client.get(path)
        looked_at = await house.store.get(ONE)
        clicks = [await house.client.post(path, MAILBOX, CLICK) for _ in range(2)]
        clicked = await house.store.get(ONE)
        other = await house.store.get(ChannelId(2))

    assert (page.status, '<form class="entry" method="post">' in page.text) == (200, True)
    assert looked_at.state is ChannelState.ACTIVE
    assert [each.status for each in clicks] == [200, 200]
    assert "You are unsubscribed" in clicks[1].text
    assert (clicked.state, clicked.paused_because) == (ChannelState.PAUSED, PauseReason.PERSON)
    assert other.state is ChannelState.ACTIVE
    assert "set-cookie" not in {name.lower() for each in clicks for name in each.headers}


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)  # none differs
async def test_other_links_say_the_same_whether_there_is_a_channel_or_not(
    database: Database,
) -> None:
    async with opened(database) as house:
        await house.add(as_user(ANNA))
        link = house.unsubscribing.link(ONE).removeprefix(BASE)
        signature = link.partition(".")[2]
        foreign = Unsubscribing(SetKey(Secret("another-key-that-nobody-guesses-42")), BASE)
        forged = [
            f"/unsubscribe/{token}"
            for token in ("1", f"2.{signature}", f"01.{signature}", f"1.{signature[:-1]}", "x" * 99)
        ]
        forged.append(foreign.link(ONE).removeprefix(BASE))
        answers = [await house.client.get(path) for path in forged]
        answers += [await house.client.post(path, FORM, CLICK) for path in forged]
        left = await house.store.get(ONE)

    # A page says its own address, in the way back from its switches.
    texts = {each.text.replace(path, "/") for path, each in zip(forged * 2, answers, strict=True)}
    assert ({each.status for each in answers}, len(texts)) == ({404}, 1)
    assert left.state is ChannelState.ACTIVE


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)  # none differs
async def test_the_link_of_a_channel_that_was_removed_still_says_that_it_is_over(
    database: Database,
) -> None:
    async with opened(database) as house:
        path = house.unsubscribing.link(ChannelId(9)).removeprefix(BASE)
        answer = await house.client.post(path, FORM, CLICK)

    assert (answer.status, "You are unsubscribed" in answer.text) == (200, True)


@pytest.mark.parametrize("key", [None, KEY])
def test_a_house_without_a_key_makes_no_link(key: Secret | None) -> None:
    link = Unsubscribing(SetKey(key), f"{BASE}/").link(ONE)

    assert link.startswith(f"{BASE}/unsubscribe/1.") if key else link == ""
