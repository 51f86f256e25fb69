"""Words by a model on loopback: good ones are taken, faults leave words on time (T25, F18)."""

from __future__ import annotations

import asyncio
import json
import logging
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from clawfeed.digest.model.circuit_breaker import Breaker
from clawfeed.digest.model.config import Prices
from clawfeed.digest.model.model_calls import ModelCaller
from clawfeed.digest.model.writer import model_writers
from clawfeed.domain.editions.digest import WordsBy
from clawfeed.simulator import Fault, Misbehaviour, busy, status
from clawfeed.simulator.services.language_model import INVENTED_NAMES, INVENTED_NUMBERS
from clawfeed.storage.database import Database
from clawfeed.storage.spending.model_spend import SpendCap, spend_of_month
from tests.digest.model.staged_model import (
    KEY,
    LEAD,
    Leads,
    PlainHeading,
    all_text,
    config_at,
    material,
    staged_model,
    story_of,
)
from tests.support.clocks import NOON, FakeClock
from tests.support.origin import door

GOOD = "The bridge over the Orla cost $3.2 million, the mayor said."
SHORT = timedelta(seconds=0.4)
BIG = 10_000_000
ANSWER = json.dumps(
    {"headline": "Harwick opens its bridge", "sentences": [{"text": GOOD, "cites": [1]}]}
)


def enveloped(content: str) -> str:
    return json.dumps({"choices": [{"message": {"content": content}}]})


FAULTS = {
    "hangs": Misbehaviour(fault=Fault.SLOW_FIRST_BYTE, pause=timedelta(seconds=30)),
    "stalls": Misbehaviour(fault=Fault.NEVER_CLOSE, after_bytes=20),
    "drips": Misbehaviour(fault=Fault.BODY_DRIP, pause=timedelta(seconds=5)),
    "429 for an hour": busy(3600),
    "500": status(500),
    "503": status(503),
    "401": status(401),
    "403": status(403),
    "404": status(404),
    "moved": Misbehaviour(fault=Fault.STATUS, status=302, location="/llm/v2"),
    "html": Misbehaviour(fault=Fault.HTML_INSTEAD),
    "garbage": Misbehaviour(fault=Fault.GARBAGE),
    "reset": Misbehaviour(fault=Fault.RESET, after_bytes=10),
    "truncated": Misbehaviour(fault=Fault.TRUNCATED),
    "empty": Misbehaviour(fault=Fault.EMPTY_BODY),
    "ten megabytes": Misbehaviour(
        fault=Fault.OTHER_BODY,
        body=enveloped(ANSWER + " " * BIG),
        content_type="application/json",
    ),
    "empty lines after a fence": Misbehaviour(
        fault=Fault.OTHER_BODY,
        body=enveloped("```" + "\n" * 100_000 + "x"),
        content_type="application/json",
    ),
    "endless": Misbehaviour(fault=Fault.INFINITE_BODY),
    "wrong shape": Misbehaviour(fault=Fault.MODEL_WRONG_SHAPE),
}


async def test_good_words_are_taken_with_our_own_citations(
    tmp_path: Path, either: Database
) -> None:
    async with staged_model(tmp_path, either) as stage:
        edition = stage.edition()
        words = await edition.story.write(material())
        heading = await edition.heading.write([story_of(words)], "en")

    assert words.by is WordsBy.MODEL
    assert words.headline == "Harwick opens its bridge"
    assert [(each.text, each.cites) for each in words.sentences] == [
        (GOOD, (1,)),
        ("Some 1,200 people walked across the new bridge on Saturday.", (2,)),
    ]
    assert words.ungrounded == 0
    assert heading.summary == (GOOD,)
    assert stage.leads.written == 0
    month = await spend_of_month(either, at=NOON)
    assert (month.calls, month.remembered) == (2, 0)
    assert month.tokens > 100


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS.keys())
async def test_every_fault_still_leaves_words(
    tmp_path: Path, database: Database, fault: Misbehaviour
) -> None:
    """(F18): three stories, in the sources' words, with three attempts at most for each."""
    async with staged_model(tmp_path, database, timeout=SHORT, edition_time=SHORT * 8) as stage:
        stage.misbehave(fault)
        edition = stage.edition()
        async with asyncio.timeout(60):
            words = [await edition.story.write(material(number=n)) for n in range(3)]
            heading = await edition.heading.write([story_of(words[0])], "en")

        assert [each.by for each in words] == [WordsBy.LEAD] * 3
        assert heading.title == "Plain title"
        assert 1 <= len(stage.asked()) <= 3 * 3
    assert (await spend_of_month(database, at=NOON)).under_way == 0


@pytest.mark.parametrize("code", [401, 402, 403, 404, 451])
async def test_who_is_sent_away_does_not_knock_again(
    tmp_path: Path, database: Database, code: int, caplog: pytest.LogCaptureFixture
) -> None:
    async with staged_model(tmp_path, database) as stage:
        stage.misbehave(status(code))
        edition = stage.edition()
        for text in ("One thing. It is so.", "Another. It is not.", "A third. It may be."):
            await edition.story.write(material(text))

        assert len(stage.asked()) == 1
        assert (await spend_of_month(database, at=NOON)).tokens == 0
    told = [record for record in caplog.records if record.levelno == logging.ERROR]
    assert len(told) == 1


async def test_after_three_silences_an_edition_asks_no_more(
    tmp_path: Path, database: Database
) -> None:
    """Each of the three had left before its time was over."""
    async with staged_model(tmp_path, database, timeout=timedelta(seconds=2)) as stage:
        stage.misbehave(FAULTS["hangs"])
        edition = stage.edition()
        for n in range(6):
            await edition.story.write(material(f"Story {n} is told. It is so."))

        assert len(stage.asked()) == 3


async def test_after_one_crash_it_is_asked_again(tmp_path: Path, database: Database) -> None:
    async with staged_model(tmp_path, database) as stage:
        stage.misbehave(status(500), times=1)
        words = await stage.edition().story.write(material())

        assert (words.by, len(stage.asked())) == (WordsBy.MODEL, 2)


@pytest.mark.parametrize("code", [500, 503])
async def test_after_two_crashes_a_story_is_told_without_it(
    tmp_path: Path, database: Database, code: int
) -> None:
    """Whatever 5xx it is: each may be billed."""
    async with staged_model(tmp_path, database) as stage:
        stage.misbehave(status(code))
        words = await stage.edition().story.write(material())

        assert (words.by, len(stage.asked())) == (WordsBy.LEAD, 2)


async def test_a_story_too_large_for_it_costs_the_others_nothing(
    tmp_path: Path, database: Database
) -> None:
    async with staged_model(tmp_path, database) as stage:
        edition = stage.edition()
        stage.misbehave(status(413), times=1)
        large = await edition.story.write(material(number=1))
        other = await edition.story.write(material(number=2))

        assert (large.by, other.by) == (WordsBy.LEAD, WordsBy.MODEL)
        assert len(stage.asked()) == 2


async def test_who_asks_for_a_little_patience_gets_it(tmp_path: Path, database: Database) -> None:
    async with staged_model(tmp_path, database) as stage:
        stage.misbehave(busy(0), times=2)
        words = await stage.edition().story.write(material())

        assert (words.by, len(stage.asked())) == (WordsBy.MODEL, 3)


async def test_an_edition_ends_on_time_however_slow_its_model(
    tmp_path: Path, database: Database
) -> None:
    """Twelve stories at once, one slot, a model that hangs: all have words when time is up."""
    async with staged_model(
        tmp_path, database, timeout=SHORT * 2, edition_time=SHORT, at_once=1
    ) as stage:
        stage.misbehave(FAULTS["hangs"])
        edition = stage.edition()
        stories = [material(f"Story {n} is told. It is so.") for n in range(12)]
        async with asyncio.timeout(30):
            words = await asyncio.gather(*map(edition.story.write, stories))

        assert {each.by for each in words} == {WordsBy.LEAD}
        assert not edition.story.caller.breaker.may_ask


async def test_who_waits_for_anothers_answer_waits_no_longer_than_its_own_time(
    tmp_path: Path, database: Database
) -> None:
    async with staged_model(tmp_path, database) as stage:
        stage.misbehave(FAULTS["hangs"])
        patient = asyncio.create_task(stage.edition().story.write(material()))
        while not stage.asked():  # noqa: ASYNC110 -- the journal is a file
            await asyncio.sleep(0.01)
        hurried = replace(
            stage.edition().story, caller=ModelCaller(task_id=None, breaker=Breaker(SHORT))
        )
        async with asyncio.timeout(15):
            words = await hurried.write(material())

        assert (words.by, patient.done(), len(stage.asked())) == (WordsBy.LEAD, False, 1)
        patient.cancel()
        await asyncio.gather(patient, return_exceptions=True)


ODD_ANSWERS = {
    "a refusal": "I'm sorry, but I can't help with that.",
    "truncated": '{"headline": "Harwick opens its bridge", "sentences": [{"te',
    "not a number": '{"headline": NaN, "sentences": []}',
    "a key twice": '{"headline": "a", "headline": "b", "sentences": [{"text": "x", "cites": [1]}]}',
    "a list": "[1, 2, 3]",
    "strings": '{"headline": "Harwick opens", "sentences": ["The bridge is open."]}',
    "no sentences": '{"headline": "Harwick opens", "sentences": []}',
    "numbers": '{"headline": 7, "sentences": [{"text": 8, "cites": [1]}]}',
    "deep": "[" * 100_000,
    "only thoughts": "<think>The bridge is",
}


@pytest.mark.parametrize("content", ODD_ANSWERS.values(), ids=ODD_ANSWERS.keys())
async def test_an_answer_of_another_shape_is_asked_for_once_more_and_then_left(
    tmp_path: Path, database: Database, content: str
) -> None:
    async with staged_model(tmp_path, database) as stage:
        stage.says(content)
        words = await stage.edition().story.write(material())

        assert (words.by, len(stage.asked())) == (WordsBy.LEAD, 2)


@pytest.mark.parametrize(
    "body", ["{}", '{"choices": []}', '{"choices": [{"message": {}}]}', "null"]
)
async def test_an_envelope_without_words_is_no_answer(
    tmp_path: Path, database: Database, body: str
) -> None:
    async with staged_model(tmp_path, database) as stage:
        stage.answers(body)
        words = await stage.edition().story.write(material())

    assert words.by is WordsBy.LEAD


@pytest.mark.parametrize(
    "content",
    [
        f"```json\n{ANSWER}\n```",
        f"<think>Let me see {{}}.</think>\n{ANSWER}",
        f"Here is the JSON you asked for:\n{ANSWER}\nI hope it helps.",
        ANSWER.replace("[1]", '["1"]'),
    ],
)
async def test_what_models_put_around_an_answer_is_taken_off(
    tmp_path: Path, database: Database, content: str
) -> None:
    async with staged_model(tmp_path, database) as stage:
        stage.says(content)
        words = await stage.edition().story.write(material())

    assert [(each.text, each.cites) for each in words.sentences] == [(GOOD, (1,))]


@pytest.mark.parametrize("name", ["max_tokens", "temperature", "response_format", "nothing known"])
async def test_what_an_endpoint_does_not_take_is_left_out(
    tmp_path: Path, database: Database, name: str
) -> None:
    body = json.dumps({"error": {"message": f"Unsupported parameter: '{name}'"}})
    async with staged_model(tmp_path, database) as stage:
        stage.misbehave(Misbehaviour(fault=Fault.STATUS, status=400, body=body), times=1)
        words = await stage.edition().story.write(material())

        assert (words.by, len(stage.asked())) == (WordsBy.MODEL, 2)


async def test_a_lying_model_gets_no_name_and_no_number_into_an_edition(
    tmp_path: Path, database: Database
) -> None:
    """(S002): forty stories of the simulated world, in two languages."""
    async with staged_model(tmp_path, database) as stage:
        stage.misbehave(Misbehaviour(fault=Fault.MODEL_LIES))
        edition = stage.edition()
        stories = [
            material(f"{story.title}. {story.text}", number=n)
            for feed in list(stage.world.feeds.values())[:8]
            for n, story in enumerate(stage.world.stories(feed)[:5])
        ]
        words = [await edition.story.write(story) for story in stories]
        heading = await edition.heading.write([story_of(each) for each in words[:3]], "en")

    shown = "\n".join([*map(all_text, words), heading.title, *heading.summary])
    assert len(words) == 40
    assert [lie for lie in (*INVENTED_NAMES, *INVENTED_NUMBERS) if lie in shown] == []
    assert all(each.ungrounded >= 1 for each in words)


async def test_invented_sources_are_not_cited(tmp_path: Path, database: Database) -> None:
    async with staged_model(tmp_path, database) as stage:
        stage.misbehave(Misbehaviour(fault=Fault.MODEL_INVENTS_IDS))
        words = await stage.edition().story.write(material())

    assert [each.cites for each in words.sentences] == [(1,), (2,)]


async def test_a_sentence_without_ground_goes_back_to_the_lead_and_is_counted(
    tmp_path: Path, database: Database
) -> None:
    async with staged_model(tmp_path, database) as stage:
        said = [
            {"text": GOOD, "cites": [1]},
            {"text": "Karl Zimmer of Quandrel was there.", "cites": [1]},
        ]
        stage.says(json.dumps({"headline": "Karl Zimmer opens a bridge", "sentences": said}))
        words = await stage.edition().story.write(material())

    assert [each.text for each in words.sentences] == [GOOD, LEAD]
    assert words.headline == "A headline of its source"
    assert (words.by, words.ungrounded) == (WordsBy.MODEL, 2)


async def test_the_same_words_are_paid_for_once_by_all_scopes(
    tmp_path: Path, either: Database
) -> None:
    async with staged_model(tmp_path, either) as stage:
        first, second = stage.edition(), stage.edition()
        one = await first.story.write(material(number=1))
        two = await second.story.write(material(number=2))
        other = await second.story.write(material(number=2, language="zh"))

        assert all_text(one) == all_text(two)
        assert other.language == "zh"
        assert len(stage.asked()) == 2
    month = await spend_of_month(either, at=NOON)
    assert (month.calls, month.remembered) == (2, 1)


async def test_who_wants_the_same_words_at_the_same_time_shares_one_call(
    tmp_path: Path, database: Database
) -> None:
    async with staged_model(tmp_path, database) as stage:
        editions = [stage.edition() for _ in range(5)]
        words = await asyncio.gather(*(each.story.write(material()) for each in editions))

        assert {each.by for each in words} == {WordsBy.MODEL}
        assert len(stage.asked()) == 1
    month = await spend_of_month(database, at=NOON)
    assert (month.calls, month.remembered) == (1, 4)


async def test_at_the_cap_words_are_the_sources_own_and_it_is_told_once(
    tmp_path: Path, database: Database, caplog: pytest.LogCaptureFixture
) -> None:
    async with staged_model(tmp_path, database, cap=SpendCap(tokens=100)) as stage:
        for n in range(3):
            words = await stage.edition().story.write(material(f"Story {n} is told. It is so."))
            assert words.by is WordsBy.LEAD

        assert stage.asked() == []
    told = [record for record in caplog.records if record.levelno == logging.WARNING]
    assert len(told) == 1


async def test_twenty_editions_at_once_do_not_pass_the_cap(
    tmp_path: Path, either: Database
) -> None:
    """(S002): whoever finds nothing left has the sources' words; all others have the model's."""
    cap, prices = SpendCap(cost_micros=60_000), Prices(micros_in=2_000_000, micros_out=8_000_000)
    async with staged_model(tmp_path, either, cap=cap, prices=prices, at_once=20) as stage:
        editions = [stage.edition() for _ in range(20)]
        words = await asyncio.gather(
            *(
                edition.story.write(material(f"Story {place} {n} is told. It is so, they say."))
                for place, edition in enumerate(editions)
                for n in range(4)
            )
        )

    month = await spend_of_month(either, at=NOON)
    assert {each.by for each in words} == {WordsBy.MODEL, WordsBy.LEAD}
    assert 0 < month.cost_micros <= 60_000


async def test_the_key_is_in_no_log_and_no_error(
    tmp_path: Path, database: Database, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    async with staged_model(tmp_path, database, timeout=SHORT) as stage:
        for fault in ("401", "500", "hangs", "garbage"):
            stage.misbehave(FAULTS[fault])
            await stage.edition().story.write(material(f"A story of {fault}. It is so."))

        assert all(entry.has_authorization for entry in stage.asked())
    shown = "\n".join(f"{record.getMessage()} {record.__dict__}" for record in caplog.records)
    assert "KEYCANARY" not in shown
    assert KEY not in repr(stage.writers)


async def test_a_model_at_a_private_address_is_not_asked_unless_it_is_allowed(
    tmp_path: Path, database: Database
) -> None:
    """(T1): the guard holds for LLM_API_URL as for any other address."""
    clock, leads = FakeClock(), Leads()
    async with staged_model(tmp_path, database) as stage, door(clock=clock) as shut:
        writers = model_writers(
            config_at(stage.url),
            egress=shut,
            database=database,
            clock=clock,
            fallback_story=leads,
            fallback_heading=PlainHeading(),
        )
        assert writers is not None
        edition = writers.for_edition()
        words = await edition.story.write(material())

        assert words.by is WordsBy.LEAD
        assert stage.asked() == []
        assert edition.story.caller.breaker.is_open
    assert (await spend_of_month(database, at=NOON)).tokens == 0
