"""The page of a reader's own edition, wired: with the same turns and editions as the API's."""

from __future__ import annotations

from fastapi import APIRouter

from clawfeed.api.editions.digest_making import DigestMakingApi
from clawfeed.app.wiring.editions import Editions
from clawfeed.storage.database import Database
from clawfeed.storage.readers.reader_settings import ReaderSettingsStore
from clawfeed.web.frame.page_rendering import Site
from clawfeed.web.my_edition.build_actions import building_routes
from clawfeed.web.my_edition.interest_actions import interest_routes
from clawfeed.web.my_edition.my_edition_context import MyEditionPages
from clawfeed.web.my_edition.my_edition_page import my_edition_routes
from clawfeed.web.my_edition.settings_actions import settings_routes


def my_edition_pages_of(
    database: Database, editions: Editions, making: DigestMakingApi, site: Site
) -> MyEditionPages:
    return MyEditionPages(
        site=site,
        database=database,
        settings=ReaderSettingsStore(database, editions.config.defaults),
        previewer=making.previewer,
        turns=making.turns,
        editions=making.editions,
    )


def my_edition_routers(pages: MyEditionPages) -> list[APIRouter]:
    return [
        my_edition_routes(pages),
        interest_routes(pages),
        settings_routes(pages),
        building_routes(pages),
    ]
