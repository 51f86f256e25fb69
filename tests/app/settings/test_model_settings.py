"""The language model's settings: read, refused where they make no sense, examined by the doctor."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from clawfeed.app.clock import system_clock
from clawfeed.app.doctor import examine
from clawfeed.app.doctor_findings.finding import Severity
from clawfeed.app.settings.config_loading import load_config
from clawfeed.app.settings.model_settings import model_config
from clawfeed.app.wiring.entry_points import opened_database
from clawfeed.digest.model.config import Prices
from clawfeed.domain.errors import ConfigError
from clawfeed.storage.spending.model_spend import Charge, ModelSpend, SpendCap

OLLAMA = {
    "EGRESS_ALLOW": "127.0.0.1:11434",
    "LLM_API_URL": "http://127.0.0.1:11434/v1",
    "LLM_MODEL": "qwen3:8b",
}


def test_without_an_address_there_is_no_model(tmp_path: Path) -> None:
    assert model_config(load_config({}, directory=tmp_path)) is None


def test_three_lines_are_enough_for_a_model_on_this_machine(tmp_path: Path) -> None:
    found = model_config(load_config(OLLAMA, directory=tmp_path))

    assert found is not None
    assert (found.api_url, found.model, found.api_key) == (
        "http://127.0.0.1:11434/v1",
        "qwen3:8b",
        None,
    )
    assert (found.timeout, found.cap) == (timedelta(seconds=60), SpendCap(tokens=5_000_000))


def test_money_is_counted_in_millionths_and_rounded_up(tmp_path: Path) -> None:
    prices = {"LLM_PRICE_IN": "0.15", "LLM_PRICE_OUT": "0.6", "LLM_MONTHLY_BUDGET": "2.5"}
    found = model_config(load_config({**OLLAMA, **prices}, directory=tmp_path))

    assert found is not None
    assert found.prices == Prices(micros_in=150_000, micros_out=600_000)
    assert found.cap.cost_micros == 2_500_000
    assert found.prices.charge(1000, 200) == Charge(tokens=1200, cost_micros=270)
    assert found.prices.charge(1, 0) == Charge(tokens=1, cost_micros=1)


@pytest.mark.parametrize(
    ("env", "named"),
    [
        ({"LLM_API_URL": "http://127.0.0.1:11434/v1"}, "LLM_MODEL"),
        ({"LLM_MODEL": "m"}, "LLM_API_URL"),
        ({**OLLAMA, "LLM_MONTHLY_BUDGET": "5"}, "LLM_PRICE_IN"),
        ({**OLLAMA, "LLM_PRICE_IN": "cheap"}, "LLM_PRICE_IN"),
        ({**OLLAMA, "LLM_PRICE_IN": "-1"}, "LLM_PRICE_IN"),
        ({**OLLAMA, "LLM_API_URL": "http://user:pass@host/v1"}, "LLM_API_URL"),
        ({**OLLAMA, "LLM_MONTHLY_TOKENS": "many"}, "LLM_MONTHLY_TOKENS"),
    ],
)
def test_what_makes_no_sense_is_one_sentence(
    tmp_path: Path, env: dict[str, str], named: str
) -> None:
    """(S002-18)."""
    with pytest.raises(ConfigError) as error:
        load_config(env, directory=tmp_path)

    [problem] = error.value.problems
    assert named in problem


@pytest.mark.parametrize(
    ("env", "decision", "word"),
    [
        ({}, Severity.OK, "none"),
        (OLLAMA, Severity.OK, "5,000,000 tokens"),
        ({**OLLAMA, "EGRESS_ALLOW": ""}, Severity.PROBLEM, "127.0.0.1:11434"),
        ({**OLLAMA, "LLM_MONTHLY_TOKENS": "0"}, Severity.WARNING, "without a cap"),
        ({**OLLAMA, "LLM_API_KEY": "sk-c4n4ry"}, Severity.WARNING, "not https"),
    ],
)
async def test_the_doctor_looks_at_the_model(
    tmp_path: Path, env: dict[str, str], decision: Severity, word: str
) -> None:
    findings = await examine(load_config(env, directory=tmp_path))

    about = [each for each in findings if each.about in {"language model", "LLM_API_URL"}]
    assert any(each.decision is decision and word in each.text for each in about)
    assert "c4n4ry" not in "".join(each.text for each in findings)


@pytest.mark.parametrize(("cap", "decision"), [(5000, Severity.OK), (1000, Severity.WARNING)])
async def test_the_doctor_tells_what_was_spent(
    tmp_path: Path, cap: int, decision: Severity
) -> None:
    config = load_config({**OLLAMA, "STARTER_PACK": "false"}, directory=tmp_path)
    async with opened_database(config) as database:
        spend, now = ModelSpend(database, SpendCap(tokens=cap), model="m"), system_clock()
        for _ in range(2):
            await spend.reserve(Charge(tokens=900, cost_micros=0), task_id=None, at=now)

    findings = await examine(config)

    [found] = [each for each in findings if each.about == "model spend"]
    assert found.decision is decision
    assert f"{min(1800, cap // 900 * 900):,} tokens" in found.text
