"""The pages of Operations for admins, wired: what each is handed."""

from __future__ import annotations

from ipaddress import ip_network

from fastapi import APIRouter

from clawfeed.app.clock import system_clock
from clawfeed.app.effective_settings import configuration_facts
from clawfeed.app.settings.config import Config
from clawfeed.app.wiring.editions import Editions
from clawfeed.app.wiring.fetching import SourceTools
from clawfeed.auth.people_admin import PeopleAdmin
from clawfeed.auth.sign_in import SignIn
from clawfeed.storage.database import Database
from clawfeed.web.frame.page_rendering import Site
from clawfeed.web.operations.admin_context import AdminPages
from clawfeed.web.operations.alarms import alarm_routes
from clawfeed.web.operations.configuration import configuration_routes
from clawfeed.web.operations.edition_page import one_edition_routes
from clawfeed.web.operations.editions import editions_routes
from clawfeed.web.operations.outbox import outbox_routes
from clawfeed.web.operations.people import people_routes
from clawfeed.web.operations.person_page import person_routes


def operations_admin_routers(
    config: Config,
    database: Database,
    tools: SourceTools,
    editions: Editions,
    *,
    signing_in: SignIn,
    site: Site,
) -> list[APIRouter]:
    pages = AdminPages(
        site=site,
        database=database,
        trusted_proxies=tuple(ip_network(each) for each in config.people.trusted_proxies),
    )
    people = PeopleAdmin(database=database, signing_in=signing_in, clock=system_clock)
    every = editions.config.interval
    return [
        editions_routes(pages, editions.admin, every),
        one_edition_routes(pages, editions.admin),
        outbox_routes(pages),
        alarm_routes(pages),
        people_routes(pages, people),
        person_routes(pages, people),
        configuration_routes(pages, configuration_facts(config, tools.types, database)),
    ]
