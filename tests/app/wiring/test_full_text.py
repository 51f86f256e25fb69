"""Editions open the door out for a story that needs it, and only then."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

from clawfeed.app.wiring.fetching import article_pool
from clawfeed.app.wiring.full_text import FullTextOnDemand
from clawfeed.egress.client import Egress, EgressConfig
from clawfeed.simulator import demo_world
from tests.digest.summaries.stories import material, source_text
from tests.digest.summaries.test_full_text import (
    BRIDGE,
    HTML,
    LEAD,
    PAGE,
    PARAGRAPHS,
    TEASER,
    TITLE,
)
from tests.support.clocks import FakeClock
from tests.support.origin import on_stage


async def test_a_teaser_is_read_in_full_and_the_rest_costs_nothing(tmp_path: Path) -> None:
    clock = FakeClock()
    async with on_stage(demo_world(seed=7, clock=clock), tmp_path / "journal.jsonl") as stage:
        stage.put(BRIDGE, PAGE.encode(), HTML)
        whole = material(source_text(1, TITLE, " ".join(PARAGRAPHS), url=f"{stage.url}{BRIDGE}"))
        teaser = material(source_text(1, TITLE, TEASER, url=f"{stage.url}{BRIDGE}"))

        config = EgressConfig(allow=urlsplit(stage.url).netloc)
        async with (
            Egress(config, clock=clock, dice=lambda: 0.5) as egress,
            FullTextOnDemand(egress, article_pool) as full_text,
        ):
            assert await full_text.enrich(whole) is whole
            assert not full_text.is_open

            enriched = await full_text.enrich(teaser)

        assert LEAD in enriched.texts[0].text
        assert len(stage.asked()) == 1
