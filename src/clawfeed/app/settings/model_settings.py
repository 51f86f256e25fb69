"""The language model as the operator has set it up."""

from __future__ import annotations

from clawfeed.app.settings.config import Config
from clawfeed.digest.model.config import ModelConfig, Prices
from clawfeed.storage.spending.model_spend import SpendCap


def model_config(config: Config) -> ModelConfig | None:
    """What `model_writers` needs; None if no model is set."""
    model = config.model
    if model.api_url is None or model.name is None:
        return None
    return ModelConfig(
        api_url=model.api_url,
        model=model.name,
        api_key=model.api_key,
        timeout=model.timeout,
        edition_time=model.edition_time,
        at_once=model.concurrency,
        max_tokens=model.max_tokens,
        prices=Prices(micros_in=model.price_in, micros_out=model.price_out),
        cap=spend_cap(config),
    )


def spend_cap(config: Config) -> SpendCap:
    return SpendCap(tokens=config.model.monthly_tokens, cost_micros=config.model.monthly_budget)
