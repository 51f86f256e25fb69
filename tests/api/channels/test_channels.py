"""Channels over HTTP: one's own, as their kinds want them; secrets go in and never come out."""

from __future__ import annotations

import pytest

from clawfeed.domain.channels.channel import ChannelDraft
from clawfeed.domain.errors import Reason
from clawfeed.domain.ids import ChannelId
from clawfeed.domain.people.users import Scope
from clawfeed.domain.secret import Secret
from clawfeed.publish.message import SendError
from clawfeed.storage.audit import AuditLog
from clawfeed.storage.channels.channels import MOST_CHANNELS
from clawfeed.storage.database import Database, SqlValue, execute
from clawfeed.storage.outbox.outbox_results import pause_channel
from tests.api.channel_server import MINUTE, opened
from tests.support.api_callers import ADMIN, ANNA, BEN, as_user
from tests.support.digests import an_edition
from tests.support.editions import Rows
from tests.support.published_digests import publish

ANNAS, BENS, ADMINS = as_user(ANNA), as_user(BEN), as_user(ADMIN)


async def test_a_channel_is_added_with_what_its_owner_usually_wants(database: Database) -> None:
    """(S001-19)."""
    async with opened(database) as house:
        added = await house.add(ANNAS)
        again = await house.client.get(added.headers["Location"], ANNAS)
        held = await house.secrets_of(added.json()["id"])

    assert added.status == 201
    assert added.json() == again.json()
    assert added.json() == {
        "id": 1, "kind": "pigeon", "name": "Pigeon", "address": "loft 7", "config": {},
        "for_everybody": False, "origin": "stored", "edition_types": ["daily"],
        "delivery_time": None, "quiet_from": None, "quiet_until": None, "zone": "Europe/Berlin",
        "language": "zh", "gets_alarms": False, "has_secrets": ["token"], "secrets_problem": None,
        "state": "active", "paused_because": None, "last_error_code": None, "last_error": None,
        "created_at": "2026-11-15T12:00:00Z", "updated_at": "2026-11-15T12:00:00Z",
    }  # fmt: skip
    assert held == {"token": "t0ken"}


async def test_what_is_sent_changes_and_the_rest_stays(database: Database) -> None:
    wanted = {
        "name": "My loft", "config": {"town": "Ghent"}, "edition_types": ["weekly", "daily"],
        "delivery_time": "07:30", "quiet_from": "22:00", "quiet_until": "07:00", "zone": "UTC",
        "language": "en",
    }  # fmt: skip
    async with opened(database) as house:
        before = (await house.add(ANNAS, **wanted)).json()
        renamed = await house.client.put("/api/channels/1", ANNAS, {"name": "Yours"})
        moved = await house.client.put(
            "/api/channels/1", ANNAS, {"delivery_time": None, "quiet_from": "23:00"}
        )
        loud = await house.client.put(
            "/api/channels/1", ANNAS, {"quiet_from": None, "quiet_until": None}
        )
        half = await house.client.put("/api/channels/1", ANNAS, {"quiet_from": "22:00"})

    shown = {**wanted, "edition_types": ["daily", "weekly"]}
    assert {name: before[name] for name in shown} == shown
    assert renamed.json() == {**before, "name": "Yours"}
    later = {**before, "name": "Yours", "delivery_time": None, "quiet_from": "23:00"}
    assert moved.json() == later
    assert loud.json() == {**later, "quiet_from": None, "quiet_until": None}
    assert (half.status, "give both, or neither" in half.text) == (422, True)


@pytest.mark.parametrize(
    ("fields", "status", "told"),
    [
        ({"kind": "raven"}, 422, "no kind of channel 'raven': choose from bottle, owl, pigeon"),
        ({"address": "tower 7"}, 422, "write it like loft 7"),
        ({"secrets": {}}, 422, "secrets.token: it is needed for a Pigeon channel"),
        ({"secrets": {"token": "***"}}, 422, "secrets.token: it holds ***"),
        ({"secrets": {"token": ""}}, 422, "too short"),
        ({"secrets": {"token": "t", "leaked": "x"}}, 422, "there are token, whistle"),
        ({"config": {"colour": "blue"}}, 422, "config.colour: a Pigeon channel has no such option"),
        ({"zone": "Mars/Olympus"}, 422, "no such time zone"),
        ({"delivery_time": "7:30"}, 422, "delivery_time"),
        ({"quiet_from": "07:00"}, 422, "give both, or neither"),
        ({"quiet_from": "07:00", "quiet_until": "07:00"}, 422, "are the same"),
        ({"language": "de"}, 422, "language"),
        ({"edition_types": ["hourly"]}, 422, "edition_types"),
        ({"gets_alarms": True}, 403, "only admins get alarms"),
        ({"for_everybody": True}, 403, "only admins add channels of the house"),
        ({"owner_id": 3}, 422, "no such field"),
        ({"kind": "bottle", "secrets": {}}, 422, "to your own address, anna@example.org"),
    ],
)
@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)  # none differs
async def test_what_cannot_be_is_one_sentence_and_stores_nothing(
    database: Database, fields: dict[str, object], status: int, told: str
) -> None:
    async with opened(database) as house:
        answer = await house.add(ANNAS, **fields)
        left = await house.client.get("/api/channels", ANNAS)

    assert (answer.status, answer.content_type) == (status, "application/problem+json")
    assert told in answer.json()["detail"]
    assert left.json() == {"channels": [], "next_cursor": None}


async def test_a_place_is_one_channel_and_there_is_a_most(database: Database) -> None:
    async with opened(database) as house:
        first = await house.add(ANNAS)
        twice = await house.add(ANNAS, address="LOFT 7")
        bens = await house.add(BENS)
        more = [await house.add(ANNAS, address=f"loft 7{n}") for n in range(MOST_CHANNELS)]
        onto = await house.client.put(
            more[0].headers["Location"],
            ANNAS,
            {"address": "loft 7", "secrets": {"token": "t"}},
        )
        page = (await house.client.get("/api/channels?limit=15", ANNAS)).json()
        rest = (await house.client.get(f"/api/channels?cursor={page['next_cursor']}", ANNAS)).json()

    assert (first.status, twice.status, bens.status, onto.status) == (201, 409, 201, 409)
    assert "a pigeon channel to loft 7 already" in twice.json()["detail"]
    assert [each.status for each in more] == [201] * (MOST_CHANNELS - 1) + [403]
    assert more[-1].json()["type"] == "urn:clawfeed:problem:quota-exceeded"
    assert (len(page["channels"]), len(rest["channels"])) == (15, MOST_CHANNELS - 15)
    assert rest["next_cursor"] is None


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)  # none differs
async def test_what_an_operator_has_not_set_up_nobody_can_have(database: Database) -> None:
    async with opened(database, email_from=None) as house:
        kinds = (await house.client.get("/api/channel-kinds", ANNAS)).json()["kinds"]
        refused = await house.add(ANNAS, kind="bottle", address="anna@example.org", secrets={})

    pigeon, _, bottle = kinds
    assert pigeon == {
        "kind": "pigeon", "label": "Pigeon", "secrets": ["token"],
        "optional_secrets": ["whistle"],
        "options": [{"name": "town", "about": "Where the loft is."}],
        "is_own_address_only": False, "missing": None,
    }  # fmt: skip
    assert bottle["missing"].startswith("Bottles are not set up")
    assert (refused.status, refused.json()["detail"]) == (422, bottle["missing"])


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)  # none differs
async def test_without_a_key_a_secret_is_not_stored_and_a_channel_without_one_is(
    database: Database,
) -> None:
    async with opened(database, key=None) as house:
        refused = await house.add(ANNAS)
        bottle = await house.add(ANNAS, kind="bottle", address="anna@example.org", secrets={})

    assert refused.status == 422
    assert "must set SECRETS_KEY" in refused.json()["detail"]
    assert bottle.status == 201


async def test_one_secret_changes_and_an_optional_one_is_forgotten(database: Database) -> None:
    async with opened(database) as house:
        await house.add(ANNAS, secrets={"token": "one", "whistle": "shrill"})
        changed = await house.client.put("/api/channels/1", ANNAS, {"secrets": {"token": "two"}})
        both = await house.secrets_of(1)
        without = await house.client.put("/api/channels/1", ANNAS, {"secrets": {"whistle": None}})
        one = await house.secrets_of(1)
        none = await house.client.put("/api/channels/1", ANNAS, {"secrets": {"token": None}})
        still = await house.secrets_of(1)

    assert changed.json()["has_secrets"] == ["token", "whistle"]
    assert both == {"token": "two", "whistle": "shrill"}
    assert without.json()["has_secrets"] == ["token"]
    assert one == still == {"token": "two"}
    assert (none.status, "must be entered again" in none.text) == (422, True)


@pytest.mark.parametrize("elsewhere", [{"address": "loft 8"}, {"config": {"town": "Ghent"}}])
@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)  # none differs
async def test_a_secret_does_not_go_to_another_place_than_it_was_set_for(
    database: Database, elsewhere: dict[str, object]
) -> None:
    async with opened(database) as house:
        await house.add(ANNAS, secrets={"token": "one", "whistle": "shrill"})
        refused = await house.client.put("/api/channels/1", ANNAS, elsewhere)
        stays = await house.client.get("/api/channels/1", ANNAS)
        moved = await house.client.put(
            "/api/channels/1", ANNAS, {**elsewhere, "secrets": {"token": "two"}}
        )
        held = await house.secrets_of(1)

    assert (refused.status, stays.json()["address"]) == (422, "loft 7")
    assert "secrets.token: it must be entered again" in refused.json()["detail"]
    assert (moved.status, held) == (200, {"token": "two"})


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)  # none differs
async def test_a_secret_for_one_service_stays_wherever_in_it_the_channel_leads(
    database: Database,
) -> None:
    async with opened(database) as house:
        await house.add(ANNAS, kind="owl")
        moved = await house.client.put("/api/channels/1", ANNAS, {"address": "loft 8"})
        held = await house.secrets_of(1)

    assert (moved.json()["address"], held) == ("loft 8", {"token": "t0ken"})


async def test_another_key_says_that_secrets_must_be_entered_again(database: Database) -> None:
    async with opened(database) as house:
        await house.add(ANNAS)
        sealed = await house.secrets.get(ChannelId(1))
        assert sealed
        await execute(database, "UPDATE channel_secrets SET key_id = 'older'")

        shown = (await house.client.get("/api/channels/1", ANNAS)).json()
        test = (await house.client.post("/api/channels/1/test", ANNAS)).json()
        await house.client.put("/api/channels/1", ANNAS, {"secrets": {"token": "anew"}})
        mended = (await house.client.get("/api/channels/1", ANNAS)).json()
        held = await house.secrets_of(1)

    assert (shown["has_secrets"], "enter them again" in shown["secrets_problem"]) == ([], True)
    assert (test["has_arrived"], test["reason"]) == (False, "misconfigured")
    assert "enter them again" in test["told"]
    assert (mended["has_secrets"], mended["secrets_problem"]) == (["token"], None)
    assert held == {"token": "anew"}


async def test_nobody_sees_or_touches_anothers_channel(database: Database) -> None:
    """(T13): not even that it is there."""
    async with opened(database) as house:
        await house.add(ANNAS)
        before = await house.store.get(ChannelId(1))
        doors = [
            ("GET", ""), ("PUT", ""), ("DELETE", ""), ("POST", "/pause"), ("POST", "/resume"),
            ("POST", "/test"), ("GET", "/deliveries"), ("POST", "/messages/1/resend"),
        ]  # fmt: skip
        answers = [
            await house.client.ask(
                method, f"/api/channels/1{end}", who, {} if method == "PUT" else None
            )
            for method, end in doors
            for who in (BENS, ADMINS)
        ]
        missing = await house.client.get("/api/channels/1", BENS)
        lists = [await house.client.get("/api/channels", who) for who in (BENS, ADMINS)]
        after = await house.store.get(ChannelId(1))

    assert {each.status for each in answers} == {404}
    assert missing.json()["detail"] == "there is no channel 1"
    assert [each.json()["channels"] for each in lists] == [[], []]
    assert (after, house.loft.received) == (before, [])


async def test_admins_keep_the_house_s_channels_with_a_key_that_may(database: Database) -> None:
    async with opened(database) as house:
        added = await house.add(ADMINS, for_everybody=True, gets_alarms=True)
        narrow = as_user(ADMIN, Scope.WRITE)
        seen = [
            (await house.client.get("/api/channels", who)).json()["channels"]
            for who in (ADMINS, ANNAS, narrow)
        ]
        refused = [
            await house.client.put("/api/channels/1", who, {"name": "Mine"})
            for who in (ANNAS, narrow)
        ]
        changed = await house.client.put("/api/channels/1", ADMINS, {"name": "Ours"})
        stored = await house.store.get(ChannelId(1))

    assert (added.status, stored.owner_id, stored.gets_alarms) == (201, None, True)
    assert (added.json()["zone"], added.json()["language"]) == ("Asia/Tokyo", "en")
    assert [len(each) for each in seen] == [1, 0, 0]
    assert [each.status for each in refused] == [404, 404]
    assert changed.json()["name"] == "Ours"


async def test_a_channel_of_the_settings_is_shown_to_admins_and_changed_there(
    database: Database,
) -> None:
    """(S002-7)."""
    async with opened(database) as house:
        draft = ChannelDraft(kind="pigeon", address="loft 1", secrets={"token": Secret("house")})
        await house.store.sync_environment([draft], now=house.clock())
        seen = (await house.client.get("/api/channels", ADMINS)).json()["channels"]
        changed = await house.client.put("/api/channels/1", ADMINS, {"name": "Mine"})
        removed = await house.client.delete("/api/channels/1", ADMINS)
        paused = await house.client.post("/api/channels/1/pause", ADMINS)
        resumed = await house.client.post("/api/channels/1/resume", ADMINS)
        await house.store.sync_environment([], now=house.clock())
        unset = await house.client.post("/api/channels/1/resume", ADMINS)
        gone = await house.client.delete("/api/channels/1", ADMINS)

    assert (seen[0]["origin"], seen[0]["secrets_problem"]) == ("environment", None)
    assert [each.status for each in (changed, removed, unset)] == [403, 403, 403]
    assert "change it there" in changed.json()["detail"]
    assert "set it there" in unset.json()["detail"]
    assert (paused.json()["state"], resumed.json()["state"]) == ("paused", "active")
    assert gone.status == 204


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)  # none differs
async def test_a_test_arrives_with_the_channel_s_secrets_in_its_language(
    database: Database,
) -> None:
    async with opened(database) as house:
        await house.add(ANNAS, config={"town": "Ghent"}, language="en")
        await house.client.post("/api/channels/1/pause", ANNAS)
        answer = await house.client.post("/api/channels/1/test", ANNAS)
        [(target, message)] = house.loft.received

    assert answer.json() == {"has_arrived": True, "told": "the test arrived", "reason": None}
    assert (target.address, target.config) == ("loft 7", {"town": "Ghent"})
    assert {name: each.reveal() for name, each in target.secrets.items()} == {"token": "t0ken"}
    assert message.payload == (
        "ClawFeed can reach this channel | This is a test: your editions will come here. | "
        "https://feeds.example"
    )


@pytest.mark.parametrize(
    ("failure", "to_anna", "to_admin"),
    [
        (SendError(Reason.GONE, "There is no loft."), "There is no loft", "There is no loft"),
        (
            SendError(Reason.BROKEN, "The loft fell.", may_have_arrived=True),
            "The loft fell; nobody knows whether it arrived",
            "The loft fell; nobody knows whether it arrived",
        ),
        (
            SendError(Reason.BLOCKED, "10.0.0.7 is private"),
            "it cannot be reached from here",
            "10.0.0.7 is private",
        ),
        (
            SendError(Reason.UNREACHABLE, "port 22 is closed"),
            "it cannot be reached from here",
            "port 22 is closed",
        ),
    ],
)
@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)  # none differs
async def test_a_test_that_fails_says_why_but_not_what_our_network_looks_like(
    database: Database, failure: SendError, to_anna: str, to_admin: str
) -> None:
    async with opened(database) as house:
        await house.add(ANNAS)
        await house.add(ADMINS)
        house.loft.failure = failure
        anna = await house.client.post("/api/channels/1/test", ANNAS)
        admin = await house.client.post("/api/channels/2/test", ADMINS)

    hidden = to_anna != to_admin
    reason = Reason.UNREACHABLE if hidden else failure.reason
    assert anna.json() == {"has_arrived": False, "told": to_anna, "reason": reason}
    assert admin.json() == {"has_arrived": False, "told": to_admin, "reason": failure.reason}


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)  # none differs
async def test_five_tests_a_minute_are_the_most(database: Database) -> None:
    async with opened(database) as house:
        await house.add(ANNAS)
        await house.add(BENS)
        hers = [await house.client.post("/api/channels/1/test", ANNAS) for _ in range(6)]
        bens = await house.client.post("/api/channels/2/test", BENS)
        house.clock.advance(MINUTE)
        later = await house.client.post("/api/channels/1/test", ANNAS)

    assert [each.status for each in hers] == [200] * 5 + [429]
    assert "Retry-After" in hers[-1].headers
    assert (bens.status, later.status) == (200, 200)


async def test_why_a_channel_failed_is_shown_until_it_is_resumed(database: Database) -> None:
    async with opened(database) as house:
        await house.add(ANNAS)
        why = "There is no loft 7."
        await database.run(lambda: pause_channel(ChannelId(1), "gone", why, house.clock()))
        failed = (await house.client.get("/api/channels/1", ANNAS)).json()
        resumed = (await house.client.post("/api/channels/1/resume", ANNAS)).json()

    assert (failed["state"], failed["paused_because"]) == ("paused", "failed")
    assert (failed["last_error_code"], failed["last_error"]) == ("gone", "There is no loft 7.")
    assert (resumed["state"], resumed["paused_because"]) == ("active", None)
    assert (resumed["last_error_code"], resumed["last_error"]) == (None, None)


async def test_the_history_tells_what_came_of_each_edition(database: Database) -> None:
    async with opened(database) as house:
        await house.add(ANNAS)
        await house.add(BENS)
        rows = Rows(database)
        digests = [await publish(database, an_edition(period=f"2026-11-1{n}")) for n in range(3)]
        sent: dict[str, SqlValue] = {"state": "sent", "attempts": 1, "last_error": "was slow"}
        sent["sent_at"] = 9.0
        for part in (1, 2):
            await rows.message(digests[0], 1, part, **sent)
        await rows.message(digests[1], 1, 1, **sent)
        lost = await rows.message(
            digests[1], 1, 2, state="dead", attempts=3, last_error="too long", payload="2/2"
        )
        await rows.message(digests[2], 1)
        foreign = await rows.message(digests[2], 2, state="dead")
        found = (await house.client.get("/api/channels/1/deliveries?limit=2", ANNAS)).json()
        rest = (
            await house.client.get(
                f"/api/channels/1/deliveries?cursor={found['next_cursor']}", ANNAS
            )
        ).json()
        again = await house.client.post(f"/api/channels/1/messages/{lost}/resend", ANNAS)
        twice = await house.client.post(f"/api/channels/1/messages/{lost}/resend", ANNAS)
        others = await house.client.post(f"/api/channels/1/messages/{foreign}/resend", ANNAS)

    told = [
        (each["digest_id"], each["state"], each["sent_parts"], each["attempts"], each["last_error"])
        for each in found["deliveries"] + rest["deliveries"]
    ]
    assert told == [
        (digests[2], "pending", 0, 0, None),
        (digests[1], "partial", 1, 4, "too long"),
        (digests[0], "sent", 2, 2, None),
    ]
    assert (len(found["deliveries"]), rest["next_cursor"]) == (2, None)
    assert rest["deliveries"][0]["sent_at"] == "1970-01-01T00:00:09Z"
    resendable = [each["resendable"] for each in found["deliveries"] + rest["deliveries"]]
    assert resendable == [None, lost, None]
    assert (again.status, again.json()["state"]) == (200, "retry")
    assert (twice.status, others.status) == (422, 404)
    [event] = await AuditLog(database).list(limit=9)
    assert (event.user_id, event.detail) == (2, f"resend message {lost} to channel 1")


async def test_a_removed_channel_takes_its_secrets_with_it(database: Database) -> None:
    async with opened(database) as house:
        await house.add(ANNAS)
        removed = [await house.client.delete("/api/channels/1", ANNAS) for _ in range(2)]
        left = await database.read("SELECT channel_id FROM channel_secrets")

    assert [each.status for each in removed] == [204, 404]
    assert left == []
