"""`/sources/{id}/edit` and `/remove`: what its owner, or an admin, makes of a source."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from fastapi import APIRouter, Request, Response

from clawfeed.auth.authorization import Access, SignedIn, guarded_router, open_to
from clawfeed.auth.permissions.source_edit_rules import SourceEdit, planned
from clawfeed.auth.permissions.source_permissions import require_changing
from clawfeed.domain.errors import InvalidInputError, NotFoundError, RefusalCode, UserError
from clawfeed.domain.ids import JsonValue
from clawfeed.domain.people.users import Caller
from clawfeed.domain.schedule.interval import positive_minutes
from clawfeed.domain.sources.source_secrets import mask_config
from clawfeed.domain.sources.type_facts import OWN_INTERVAL, TypeFacts
from clawfeed.storage.source_changes.source_changes import SourceExists
from clawfeed.storage.sources.source_row import SourceRow
from clawfeed.web.frame.flash import Done, Flash
from clawfeed.web.frame.form_errors import refusal
from clawfeed.web.sources.source_context import SourcePages, line_of, source_id_in


@dataclass(frozen=True, slots=True, kw_only=True)
class _Form:
    """The fields as they stand on the page; *place* is what its config follows, secrets masked."""

    name: str
    place: str | None
    interval: str
    is_public: bool

    @classmethod
    def of(cls, row: SourceRow, facts: TypeFacts) -> _Form:
        shown = mask_config(row.settings())
        place = shown.get(facts.main_key or "", "" if facts.main_key else None)
        interval = shown.get(OWN_INTERVAL)
        return cls(
            name=row.name,
            place=place if isinstance(place, str) else None,
            interval="" if interval is None else str(interval),
            is_public=bool(row.is_public),
        )

    def filled(self, given: Mapping[str, str], *, can_share: bool) -> _Form:
        """The same with what was typed; a box that was not offered stays as it is."""
        return _Form(
            name=given.get("name", self.name),
            place=None if self.place is None else given.get("place", self.place).strip(),
            interval=given.get("interval", self.interval).strip(),
            is_public=given.get("is_public") == "1" if can_share else self.is_public,
        )


def source_editing_routes(pages: SourcePages) -> APIRouter:
    router = guarded_router("/sources", tag="pages", in_schema=False)
    _add_editing(router, pages)
    _add_removing(router, pages)
    return router


def _add_editing(router: APIRouter, pages: SourcePages) -> None:
    site = pages.site

    async def form(
        request: Request, caller: Caller, row: SourceRow, filled: _Form, values: dict[str, object]
    ) -> Response:
        page = await site.page(request, caller)
        facts = pages.fetchers.types.facts(row.type)
        values = {
            "source": line_of(page, row),
            "form": filled,
            "is_addressed": facts.is_addressed,
            "can_share": _can_share(row, facts, caller),
            "mistake": "",
            "twin": None,
            **values,
        }
        if isinstance(error := values.get("error"), UserError):
            values["mistake"] = refusal(page, error)
        status = 422 if values["mistake"] or values["twin"] else 200
        return site.render(page, "sources/source_edit.html", values, status=status)

    @router.get("/{source_id}/edit")
    @open_to(Access.READ)
    async def ask(request: Request, caller: SignedIn, source_id: str) -> Response:
        row = await pages.reads.get(source_id_in(source_id), caller.user.id)
        require_changing(row, caller)
        return await form(request, caller, row, _Form.of(row, _facts(pages, row)), {})

    @router.post("/{source_id}/edit")
    @open_to(Access.WRITE)
    async def save(request: Request, caller: SignedIn, source_id: str) -> Response:
        given = await site.form(request)
        row = await pages.reads.get(source_id_in(source_id), caller.user.id)
        require_changing(row, caller)
        facts = _facts(pages, row)
        can_share = _can_share(row, facts, caller)
        filled = _Form.of(row, facts).filled(given, can_share=can_share)
        try:
            result = await pages.changes.update(
                row.id,
                caller.user.id,
                lambda seen: planned(pages.fetchers, seen, _edit(seen, facts, filled), caller),
                now=site.now(),
            )
        except NotFoundError:
            raise
        except UserError as error:
            return await form(request, caller, row, filled, {"error": error})
        if isinstance(result, SourceExists):
            twin = {"id": result.row.id, "name": result.row.name}
            return await form(request, caller, row, filled, {"twin": twin})
        return site.go(f"/sources/{row.id}", Flash(done=Done.SOURCE_CHANGED))


def _add_removing(router: APIRouter, pages: SourcePages) -> None:
    site = pages.site

    @router.get("/{source_id}/remove")
    @open_to(Access.READ)
    async def ask(request: Request, caller: SignedIn, source_id: str) -> Response:
        row = await pages.reads.get(source_id_in(source_id), caller.user.id)
        require_changing(row, caller)
        page = await site.page(request, caller)
        values = {"source": line_of(page, row), "others": row.other_subscribers}
        return site.render(page, "sources/source_remove.html", values)

    @router.post("/{source_id}/remove")
    @open_to(Access.WRITE)
    async def remove(request: Request, caller: SignedIn, source_id: str) -> Response:
        await site.form(request)
        await pages.changes.delete(
            source_id_in(source_id),
            caller.user.id,
            lambda row: require_changing(row, caller),
            now=site.now(),
        )
        return site.go("/sources", Flash(done=Done.SOURCE_REMOVED))


def _facts(pages: SourcePages, row: SourceRow) -> TypeFacts:
    return pages.fetchers.types.facts(row.type)


def _can_share(row: SourceRow, facts: TypeFacts, caller: Caller) -> bool:
    """Whether who may see it can be chosen: what is another's cannot be taken from everybody."""
    return not facts.is_personal and row.is_of(caller.user.id)


def _edit(row: SourceRow, facts: TypeFacts, filled: _Form) -> SourceEdit:
    """What differs from *row*: a config that nobody touched is not checked again."""
    before = _Form.of(row, facts)
    is_same = (before.place, before.interval) == (filled.place, filled.interval)
    return SourceEdit(
        name=filled.name,
        config=None if is_same else _config(row, facts, filled),
        is_public=filled.is_public,
    )


def _config(row: SourceRow, facts: TypeFacts, filled: _Form) -> dict[str, JsonValue]:
    config = mask_config(row.settings())
    if facts.main_key and filled.place is not None:
        config[facts.main_key] = filled.place
    config.pop(OWN_INTERVAL, None)
    if filled.interval:
        minutes = positive_minutes(filled.interval)
        if minutes is None:
            raise InvalidInputError(
                "the time between two polls is a whole number of minutes", RefusalCode.WHOLE_MINUTES
            )
        config[OWN_INTERVAL] = minutes
    return config
