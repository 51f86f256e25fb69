"""Editions for readers, wired: what is read, made when asked for, and what readers want of them."""

from __future__ import annotations

from dataclasses import dataclass

from fastapi import APIRouter

from clawfeed.api.editions.digest_making import DigestMakingApi, digest_making_routes
from clawfeed.api.editions.digests import DigestsApi, digest_routes
from clawfeed.api.editions.interests import InterestsApi, interest_routes
from clawfeed.api.editions.reader_settings import ReaderSettingsApi, reader_settings_routes
from clawfeed.api.editions.votes import VotesApi, vote_routes
from clawfeed.app.clock import system_clock
from clawfeed.app.wiring.editions import Editions
from clawfeed.auth.limits.action_rate_limits import PreviewTurns
from clawfeed.digest.edition_config import EditionConfig
from clawfeed.digest.on_demand_editions import EditionsOnDemand
from clawfeed.digest.preview import EditionPreviewer
from clawfeed.domain.editions.edition import EditionTask
from clawfeed.domain.editions.edition_period import EditionType
from clawfeed.domain.ids import TaskId, UserId
from clawfeed.storage.database import Database
from clawfeed.storage.digests.digests import DigestStore
from clawfeed.storage.editions.editions import EditionStore
from clawfeed.storage.editions.interests import InterestStore
from clawfeed.storage.editions.reader_queue import DueReader
from clawfeed.storage.readers.reader_settings import ReaderSettingsStore
from clawfeed.storage.readers.votes import VoteStore


@dataclass(frozen=True, slots=True, kw_only=True)
class OnDemandEditions:
    """Editions that readers ask for, made in the server's own process."""

    editions: Editions

    async def begin(self, reader: UserId, kind: EditionType) -> EditionTask | None:
        return await self.editions.triggers.task_for(DueReader(id=reader, type=kind))

    async def finish(self, task: TaskId) -> None:
        await self.editions.driver.run_to_end(task)


def digest_making_of(database: Database, editions: Editions) -> DigestMakingApi:
    """Made once: the API and the pages take turns at it."""
    return DigestMakingApi(
        editions=EditionsOnDemand(
            editions=OnDemandEditions(editions=editions),
            digests=DigestStore(database),
            tasks=EditionStore(database),
        ),
        previewer=EditionPreviewer(database, editions.config, system_clock),
        turns=PreviewTurns(),
    )


def digest_routers(
    database: Database, settings: EditionConfig, making: DigestMakingApi
) -> list[APIRouter]:
    """Everything readers may ask of editions."""
    saved_settings = ReaderSettingsStore(database, settings.defaults)
    return [
        digest_making_routes(making),
        digest_routes(DigestsApi(database=database, clock=system_clock)),
        interest_routes(InterestsApi(store=InterestStore(database), clock=system_clock)),
        vote_routes(VotesApi(store=VoteStore(database), clock=system_clock)),
        reader_settings_routes(ReaderSettingsApi(store=saved_settings, clock=system_clock)),
    ]
