"""GitHub as a channel: one file and one commit per edition, however often it is tried (F23, I7)."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from clawfeed.domain.channels.channel import ChannelDraft
from clawfeed.domain.errors import ConfigError, Reason
from clawfeed.domain.ids import JsonValue
from clawfeed.domain.secret import Secret
from clawfeed.publish.channel_type import Notice, PublishConfig
from clawfeed.publish.channel_types.github import TYPE
from clawfeed.publish.message import RetryVerdict
from clawfeed.simulator import Fault, Misbehaviour
from clawfeed.simulator.services.github import (
    ARCHIVED,
    MISSING,
    PROTECTED,
    READ_ONLY,
    TOKEN,
    USED_UP,
    blob_sha,
)
from tests.publish.simulated_services import (
    PAGE,
    Service,
    a_message,
    payloads_of,
    refused_text,
    says,
    staged,
)
from tests.support.digests import a_story, an_edition

EVERY_REQUEST = "/github/*"
WHERE = "demo/news@main/digests/2026/2026-11-15-daily.md"
[EDITION] = payloads_of(TYPE, an_edition())
[OTHER_EDITION] = payloads_of(TYPE, an_edition(a_story("Told anew")))
CONFLICT = says(409, {"message": "digests/2026/2026-11-15-daily.md does not match 1234"})
SECONDARY = {"message": "You have exceeded a secondary rate limit. Please wait a few minutes."}


@pytest.fixture
async def github(tmp_path: Path) -> AsyncIterator[Service]:
    secrets = {"token": TOKEN}
    async with staged(TYPE, tmp_path, address="demo/news", secrets=secrets) as service:
        yield service


async def test_an_edition_is_one_file_in_one_commit(github: Service) -> None:
    receipt = await github.send(a_message(EDITION))

    [commit] = github.effects()
    assert commit.place == WHERE
    assert commit.key == "ClawFeed: daily edition 2026-11-15"
    assert commit.content == json.loads(EDITION)["text"]
    assert receipt.remote_id == blob_sha(commit.content.encode())


@pytest.mark.parametrize(
    "fault",
    [
        Misbehaviour(fault=Fault.RESET, after_bytes=0),
        Misbehaviour(fault=Fault.TRUNCATED),
        Misbehaviour(fault=Fault.GARBAGE),
    ],
)
async def test_a_lost_answer_is_looked_up_before_anything_is_written_again(
    github: Service, fault: Misbehaviour
) -> None:
    github.world.misbehave(EVERY_REQUEST, fault, times=1)

    error = await github.fails(a_message(EDITION))
    receipt = await github.send(a_message(EDITION, may_have_arrived=True))

    assert (error.verdict, error.may_have_arrived) == (RetryVerdict.RETRY, True)
    assert len(github.effects()) == 1
    assert github.asked() == ["PUT", "GET"]
    assert receipt.remote_id


async def test_what_did_not_arrive_is_written_after_the_look(github: Service) -> None:
    github.world.misbehave(EVERY_REQUEST, says(502), times=1)

    error = await github.fails(a_message(EDITION))
    await github.send(a_message(EDITION, may_have_arrived=True))

    assert (error.verdict, error.may_have_arrived) == (RetryVerdict.RETRY, True)
    assert len(github.effects()) == 1


async def test_the_same_content_makes_no_second_commit(github: Service) -> None:
    """Even if nobody remembers that it was sent."""
    await github.send(a_message(EDITION))
    await github.send(a_message(EDITION))

    assert len(github.effects()) == 1


async def test_an_edition_that_was_made_anew_is_updated_in_place(github: Service) -> None:
    await github.send(a_message(EDITION))
    await github.send(a_message(OTHER_EDITION))
    await github.send(a_message(EDITION, may_have_arrived=True))

    assert [each.place for each in github.effects()] == [WHERE] * 3
    assert "Told anew" in github.effects()[1].content


async def test_a_conflict_is_looked_at_and_written_once_more(github: Service) -> None:
    await github.send(a_message(EDITION))
    github.world.misbehave(EVERY_REQUEST, CONFLICT, times=1)

    await github.send(a_message(OTHER_EDITION))

    assert len(github.effects()) == 2


async def test_a_conflict_that_stays_is_for_later(github: Service) -> None:
    github.world.misbehave(EVERY_REQUEST, CONFLICT)

    async with asyncio.timeout(30):
        error = await github.fails(a_message(EDITION))

    assert (error.reason, error.verdict) == (Reason.BUSY, RetryVerdict.RETRY)
    assert not error.may_have_arrived
    assert github.effects() == []


@pytest.mark.parametrize(
    ("fault", "wait"),
    [
        (says(403, SECONDARY, retry_after="77"), timedelta(seconds=77)),
        (says(403, SECONDARY), timedelta(minutes=1)),
        (says(429, "<html>"), timedelta(minutes=1)),
        (says(429, SECONDARY, retry_after="3"), timedelta(seconds=3)),
    ],
)
async def test_a_secondary_limit_lets_the_place_rest(
    github: Service, fault: Misbehaviour, wait: timedelta
) -> None:
    github.world.misbehave(EVERY_REQUEST, fault, times=1)

    error = await github.fails(a_message(EDITION))

    assert (error.reason, error.verdict, error.wait) == (Reason.BUSY, RetryVerdict.RETRY, wait)
    assert error.is_place_resting
    assert not error.may_have_arrived
    assert github.effects() == []


async def test_a_used_up_hour_lets_the_place_rest_until_it_is_over(github: Service) -> None:
    error = await github.fails(a_message(EDITION), github.to(USED_UP))

    assert (error.reason, error.wait) == (Reason.BUSY, timedelta(minutes=10))
    assert error.is_place_resting


@pytest.mark.parametrize(
    ("repository", "config", "way_out"),
    [
        (MISSING, {}, "check names and token"),
        (ARCHIVED, {}, "unarchive it"),
        (READ_ONLY, {}, "`Contents: read and write`"),
        (PROTECTED, {}, "choose another branch"),
        ("demo/news", {"branch": "nowhere"}, "with a branch nowhere"),
    ],
)
async def test_a_repository_that_is_shut_is_left_alone_and_its_owner_told(
    github: Service, repository: str, config: dict[str, JsonValue], way_out: str
) -> None:
    error = await github.fails(a_message(EDITION), github.to(repository, **config))

    assert (error.verdict, error.may_have_arrived) == (RetryVerdict.PAUSE, False)
    assert repository in error.detail
    assert way_out in error.detail
    assert github.effects() == []


async def test_a_token_that_is_not_taken_is_its_owner_s_to_change(github: Service) -> None:
    wrong = replace(github.target, secrets={"token": Secret("ghp_" + "x" * 36)})
    none = replace(github.target, secrets={})

    errors = [await github.fails(a_message(EDITION), each) for each in (wrong, none)]

    assert [each.verdict for each in errors] == [RetryVerdict.PAUSE] * 2
    assert errors[0].reason is Reason.AUTH_REQUIRED


async def test_a_file_that_is_not_taken_is_given_up(github: Service) -> None:
    github.world.misbehave(EVERY_REQUEST, says(422, {"message": "Invalid request."}), times=1)

    error = await github.fails(a_message(EDITION))

    assert (error.verdict, error.may_have_arrived) == (RetryVerdict.GIVE_UP, False)


async def test_a_look_that_fails_leaves_it_unknown(github: Service) -> None:
    """Neither certainty may be lost: that it may be there, and that a look writes nothing."""
    github.world.misbehave(EVERY_REQUEST, says(502), times=1)
    unknown = await github.fails(a_message(EDITION, may_have_arrived=True))
    await github.send(a_message(EDITION))
    github.world.misbehave(EVERY_REQUEST, Misbehaviour(fault=Fault.TRUNCATED), times=1)
    still = await github.fails(a_message(EDITION, may_have_arrived=True))

    assert unknown.may_have_arrived
    assert still.may_have_arrived
    assert len(github.effects()) == 1


async def test_branch_and_folder_are_the_channel_s_own(github: Service) -> None:
    await github.send(a_message(EDITION), github.to("demo/site", branch="gh-pages", folder=""))
    await github.send(a_message(EDITION), github.to("demo/site", folder="docs/_posts"))

    assert [each.place for each in github.effects()] == [
        "demo/site@gh-pages/2026/2026-11-15-daily.md",
        "demo/site@main/docs/_posts/2026/2026-11-15-daily.md",
    ]


async def test_a_notice_is_a_file_of_its_own(github: Service) -> None:
    word = Notice(title="This is a test", lines=("sent to @anna", "fixes #1"), link=PAGE)

    await github.send(a_message(TYPE.notice(word, {})))

    [commit] = github.effects()
    assert commit.place == "demo/news@main/digests/notice.md"
    assert commit.content == (
        "# This is a test\n\nsent to \\@\u2060anna\n\nfixes \\#\u20601\n\n" + f"<{PAGE}>\n"
    )


@pytest.mark.parametrize(
    "folder",
    ["..", "../x", "a/../../x", "a/./b", ".git", ".github/workflows", "a/.GitHub/x", ".git\u200c/x",
     "git~1", "/etc", "a//b", "..%2fx", "\uff0e\uff0e/x", "..\u2215x", "C:x", "a b", "a\r", "~/x",
     "$HOME", "--help/", "{a,b}", "x" * 201, "x" * 100_000, "a" * 50 + "!", 7, None],
)  # fmt: skip
def test_a_folder_stays_below_the_root_and_out_of_git_s_own(folder: JsonValue) -> None:
    draft = ChannelDraft(kind="github", address="demo/news", config={"folder": folder})

    assert refused_text(TYPE.check, draft).startswith("config.folder: ")


@pytest.mark.parametrize(
    ("address", "config", "named"),
    [
        ("demo", {}, "owner/name"),
        ("demo/../x", {}, "owner/name"),
        ("demo/..", {}, "owner/name"),
        ("https://evil.example/demo/news", {}, "owner/name"),
        ("demo/news", {"branch": "a..b"}, "config.branch: "),
        ("demo/news", {"branch": "?ref=x"}, "config.branch: "),
    ],
)
def test_what_cannot_be_used_is_named(
    address: str, config: dict[str, JsonValue], named: str
) -> None:
    assert named in refused_text(
        TYPE.check, ChannelDraft(kind="github", address=address, config=config)
    )


def test_a_repository_has_one_spelling() -> None:
    given = "https://github.com/Demo/News.Letter.git"
    draft = ChannelDraft(kind="github", address=given, secrets={"token": Secret("hunter2")})

    stored = TYPE.check(replace(draft, secrets={}))

    assert stored.address == "Demo/News.Letter"
    assert stored.config == {"branch": "", "folder": "digests"}
    assert TYPE.place(stored.address, {}) == "github:demo/news.letter"
    assert "hunter2" not in refused_text(TYPE.check, draft)


def test_only_the_house_uses_the_house_s_token() -> None:
    """It may open more repositories than that one: a reader's channel brings a token."""
    house = PublishConfig(
        base_url="https://clawfeed.example",
        github_token=Secret(TOKEN),
        target_repo="demo/news",
        target_folder="editions/",
    )

    [draft] = TYPE.of_the_house(house)

    assert TYPE.secrets == ("token",)  # asked of everybody
    assert draft.config == {"branch": "main", "folder": "editions"}
    assert draft.secrets == {"token": Secret(TOKEN)}
    assert TYPE.of_the_house(replace(house, target_repo=None)) == ()
    with pytest.raises(ConfigError, match="GITHUB_TOKEN"):
        TYPE.of_the_house(replace(house, github_token=None))
    with pytest.raises(ConfigError, match=r"^TARGET_FOLDER: it is made of letters"):
        TYPE.of_the_house(replace(house, target_folder=".github"))
    with pytest.raises(ConfigError, match=r"^GITHUB_TOKEN: a token of GitHub begins with"):
        TYPE.of_the_house(replace(house, github_token=Secret("short")))
