"""`/operations/configuration`: what this house is set to, what is unsafe, what may change now."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Final

from fastapi import APIRouter, Request, Response

from clawfeed.auth.authorization import Access, SignedIn, guarded_router, open_to
from clawfeed.domain.errors import InvalidInputError, RefusalCode, UserError
from clawfeed.domain.people.users import Caller
from clawfeed.domain.schedule.interval import OVERRIDE_PREFIX, positive_minutes
from clawfeed.rendering.safe_text import one_line
from clawfeed.storage.operations.runtime_settings import DEFAULT_PACK, LiveSettings
from clawfeed.storage.sources.packs import PackStore
from clawfeed.web.frame.flash import Done, Flash
from clawfeed.web.frame.form_errors import refusal
from clawfeed.web.operations.admin_context import AdminPages, status_of

PAGE_PATH: Final = "/operations/configuration"
# The text of a secret that is set; of one that is not it is empty.
SECRET: Final = "***"  # noqa: S105 -- what stands in its place
DEFAULT: Final = "default"
TABLE: Final = "table"
MOST_PACKS: Final = 200
_LONGEST_VALUE: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectiveSetting:
    """One setting as it counts. *text* never holds a secret; *origin* is where it came from."""

    name: str
    group: str
    text: str
    origin: str
    meaning: str
    is_secret: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TypeInterval:
    """How often sources of a type are polled, as far as the settings say; *origin* as above."""

    type: str
    minutes: float
    origin: str

    @property
    def key(self) -> str:
        return OVERRIDE_PREFIX + self.type.upper()


@dataclass(frozen=True, slots=True, kw_only=True)
class ExaminedThing:
    """Something `clawfeed doctor` looks at; *severity* is ok, warning or problem."""

    severity: str
    about: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigurationFacts:
    """What this page is handed. *default_pack* is the environment's, which wins over the table."""

    groups: tuple[str, ...]
    settings: tuple[EffectiveSetting, ...]
    intervals: tuple[TypeInterval, ...]
    default_pack: str | None
    examine: Callable[[], Awaitable[tuple[ExaminedThing, ...]]]


def configuration_routes(pages: AdminPages, facts: ConfigurationFacts) -> APIRouter:
    router = guarded_router(PAGE_PATH, tag="pages", in_schema=False)
    site, live, packs = pages.site, LiveSettings(pages.database), PackStore(pages.database)

    async def shown(request: Request, caller: Caller, mistake: UserError | None = None) -> Response:
        page, rows, examined, known = await asyncio.gather(
            site.page(request, caller),
            live.all(),
            facts.examine(),
            packs.list(None, limit=MOST_PACKS),
        )
        groups = _groups(facts, rows)
        values = {
            "examined": examined,
            "faults": [each for each in examined if each.severity != "ok"],
            "groups": groups,
            "chosen": [each for _, some in groups for each in some if each.origin != DEFAULT],
            "intervals": [_interval(each, rows) for each in facts.intervals],
            "pack": facts.default_pack or rows.get(DEFAULT_PACK, ""),
            "pack_is_fixed": facts.default_pack is not None,
            "packs": [(each.slug, one_line(each.name)) for each in known],
            "mistake": refusal(page, mistake),
        }
        status = status_of(mistake) if mistake else 200
        return site.render(page, "operations/configuration.html", values, status=status)

    @router.get("")
    @open_to(Access.ADMIN)
    async def configuration(request: Request, caller: SignedIn) -> Response:
        return await shown(request, caller)

    @router.post("")
    @open_to(Access.ADMIN)
    async def change(request: Request, caller: SignedIn) -> Response:
        """Set one of those that may change while the product runs; an empty value forgets it."""
        given = await site.form(request)
        key, value = given.get("key", ""), one_line(given.get("value", ""))[:_LONGEST_VALUE]
        hand = pages.hand(request, caller, pages.site.now())
        try:
            if key not in _keys(facts):
                raise InvalidInputError(
                    "there is nothing like this that can be set here", RefusalCode.SETTING_FIXED
                )
            if value:
                await live.save(key, value, hand)
            else:
                await live.forget(key, hand)
        except UserError as error:
            return await shown(request, caller, error)
        done = Done.LIVE_SETTING_SAVED if value else Done.LIVE_SETTING_FORGOTTEN
        return site.go(f"{PAGE_PATH}#live", Flash(done=done))

    return router


def _keys(facts: ConfigurationFacts) -> set[str]:
    return {DEFAULT_PACK, *(each.key for each in facts.intervals)}


def _groups(
    facts: ConfigurationFacts, rows: Mapping[str, str]
) -> list[tuple[str, list[EffectiveSetting]]]:
    """By room, each setting as it counts: the table's default pack where nothing else names one."""
    return [
        (group, [_counted(each, rows) for each in facts.settings if each.group == group])
        for group in facts.groups
    ]


def _counted(setting: EffectiveSetting, rows: Mapping[str, str]) -> EffectiveSetting:
    if setting.name != DEFAULT_PACK or setting.text or DEFAULT_PACK not in rows:
        return setting
    return EffectiveSetting(
        name=setting.name,
        group=setting.group,
        text=rows[DEFAULT_PACK],
        origin=TABLE,
        meaning=setting.meaning,
    )


def _interval(found: TypeInterval, rows: Mapping[str, str]) -> dict[str, object]:
    """Minutes by type: what the environment says, else what is set here, else the type's own."""
    here = rows.get(found.key, "")
    minutes = positive_minutes(here)
    counts_here = found.origin == DEFAULT and minutes is not None
    return {
        "key": found.key,
        "type": found.type,
        "minutes": f"{minutes if counts_here else found.minutes:g}",
        "origin": TABLE if counts_here else found.origin,
        "is_fixed": found.origin != DEFAULT,
        "here": here,
    }
