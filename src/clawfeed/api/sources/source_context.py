"""What the sources endpoints have in common: who sees what, and what becomes of a change."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime

from fastapi import Response

from clawfeed.api.http.problems import problem
from clawfeed.api.http.responses import json_answer
from clawfeed.api.sources.source_json import SourceView, faults_as_json
from clawfeed.auth.limits.action_rate_limits import SourceLimits
from clawfeed.auth.permissions.source_permissions import sees_faults
from clawfeed.auth.permissions.source_resuming import resume_source
from clawfeed.domain.ids import SourceId
from clawfeed.domain.people.users import Caller
from clawfeed.domain.schedule.interval import Intervals
from clawfeed.domain.sources.source import Source
from clawfeed.domain.sources.source_faults import Lookalikes, SourceFault, faults_of
from clawfeed.domain.sources.type_facts import TypeFacts
from clawfeed.sources.discovery.discoverer import Discoverer
from clawfeed.sources.registry import Fetchers
from clawfeed.storage.config_table import ConfigTable
from clawfeed.storage.database import Database
from clawfeed.storage.source_changes.source_changes import SourceChanges, SourceExists, SourceStored
from clawfeed.storage.sources.source_quota import MOST_SOURCES
from clawfeed.storage.sources.source_row import SourceRow
from clawfeed.storage.sources.source_status import SourceStates
from clawfeed.storage.sources.sources import already_there
from clawfeed.storage.sources.visible_sources import VisibleSources


@dataclass(frozen=True, slots=True, kw_only=True)
class SourcesApi:
    """What these endpoints need.

    *intervals* are this installation's, given the rows of its `config` table. *limits* are shared
    with the pages, where there are pages.
    """

    database: Database
    clock: Callable[[], datetime]
    fetchers: Fetchers
    discoverer: Discoverer
    intervals: Callable[[Mapping[str, str]], Intervals]
    most_sources: int = MOST_SOURCES
    limits: SourceLimits | None = None


class SourceService:
    """What several routes of the sources do."""

    def __init__(self, api: SourcesApi) -> None:
        self.api = api
        types = api.fetchers.types
        self.reads = VisibleSources(api.database, types)
        self.changes = SourceChanges(api.database, types)
        self.limits = api.limits or SourceLimits(api.clock)

    async def view(self, caller: Caller | None) -> SourceView:
        """How *caller* sees sources, for lines that do not say which intervals rule them."""
        rows = await ConfigTable(self.api.database).overrides() if caller else {}
        return self._view(caller, rows)

    def view_of(self, row: SourceRow, caller: Caller | None) -> SourceView:
        """The same for a *row* that does, and for all that were read with it."""
        return self._view(caller, row.interval_rows())

    def _view(self, caller: Caller | None, rows: Mapping[str, str]) -> SourceView:
        if caller is None:
            return SourceView(None, self.api.clock(), None)
        return SourceView(caller.user.id, self.api.clock(), self.api.intervals(rows))

    async def one(self, row: SourceRow, caller: Caller | None) -> dict[str, object]:
        """A source by itself: its owner and admins are also told what is odd about it."""
        is_told = row.overrides is not None
        view = self.view_of(row, caller) if is_told else await self.view(caller)
        found = view.source(row)
        if sees_faults(row, caller):
            found["faults"] = faults_as_json(await self._faults(row))
        return found

    async def answer(
        self, result: SourceStored | SourceExists, caller: Caller, *, is_new: bool = False
    ) -> Response:
        if isinstance(result, SourceExists):
            twin = result.row
            detail = str(already_there(twin.type, twin.id, twin.name))
            return problem(409, detail, more={"existing": (await self.view(caller)).source(twin)})
        body = await self.one(result.row, caller)
        if not is_new:
            return json_answer(body)
        return json_answer(body, 201, {"Location": f"/api/sources/{result.row.id}"})

    async def resumed(self, source_id: SourceId, caller: Caller) -> dict[str, object]:
        """Resume a source; who may not see it is told no more than how it stands."""
        types, now = self.api.fetchers.types, self.api.clock()
        if await resume_source(self.api.database, types, caller, source_id, now=now):
            return await self.one(await self.reads.get(source_id, caller.user.id), caller)
        state = await SourceStates(self.api.database).state(source_id)
        status = str(state.status(now))
        return {"id": source_id, "is_active": state.source.is_active, "status": status}

    async def _faults(self, row: SourceRow) -> list[SourceFault]:
        source = row.as_source()
        types = self.api.fetchers.types
        facts = types.facts(source.type)
        others = await self.reads.alike(source, _needle(source, facts))
        return faults_of(source, facts, Lookalikes(types, others))


def _needle(source: Source, facts: TypeFacts) -> str:
    """What the config of any source like this one holds; addresses have too many spellings."""
    value = source.config.get(facts.main_key or "")
    if not isinstance(value, str) or "://" in value or json.dumps(value) != f'"{value}"':
        return ""
    return value.strip().removeprefix("@")
