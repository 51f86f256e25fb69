"""What every page is made with: who looks at it, in which words and colours, and how it is sent."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import datetime, tzinfo

from fastapi import Request, Response
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from clawfeed.auth.cookies import SessionCookie
from clawfeed.auth.csrf_token import FIELD, csrf_token, require_token
from clawfeed.auth.return_path import next_path
from clawfeed.domain.editions.edition_scope import ReaderSettings
from clawfeed.domain.people.users import Caller
from clawfeed.domain.wording.because_wording import Language
from clawfeed.rendering.dates import day_and_time, zone_named
from clawfeed.storage.database import Database
from clawfeed.storage.editions.chosen_settings import chosen_settings
from clawfeed.web.frame.capitalisation import begins
from clawfeed.web.frame.flash import Flash, FlashCookie
from clawfeed.web.frame.forms import (
    MOST_FIELDS,
    last_of_each,
    read_fields,
    read_form,
    read_upload,
)
from clawfeed.web.frame.navigation import navigation_for
from clawfeed.web.frame.preferences import Preferences, Theme
from clawfeed.web.frame.static_files import StaticFiles
from clawfeed.web.frame.streamed_page import HeldStream
from clawfeed.web.texts.all_texts import say_in

HTML = "text/html; charset=utf-8"
# What the script sends along when it wants a part of a page instead of the whole.
FRAGMENT = "x-fragment"
# `same-origin` and not stricter: with `no-referrer` browsers hide from ourselves too where a form
# was sent from, and on plain http nothing else would tell.
_MIDDLE = Markup("<!-- middle -->")
# What stands before us would else wait for the whole.
_AS_IT_COMES = {"X-Accel-Buffering": "no"}
HEADERS = {"Cache-Control": "no-store", "Referrer-Policy": "same-origin"}


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteConfig:
    """*defaults* are what readers get who said nothing."""

    version: str
    base_url: str
    defaults: ReaderSettings = field(default_factory=ReaderSettings)


# Where sign-in elsewhere, and X, send people back to.
SENT_BACK = "/auth/"


@dataclass(frozen=True, slots=True, kw_only=True)
class PageView:
    """One look at one page. *is_asked* is False where nobody asked who is there: error pages."""

    request: Request
    caller: Caller | None
    language: Language
    theme: Theme
    zone: tzinfo
    now: datetime
    token: str = ""
    flash: Flash | None = None
    is_asked: bool = True

    @property
    def path(self) -> str:
        return self.request.url.path

    @property
    def here(self) -> str:
        """Where a form brings people back to: this page, if it can be looked at again.

        Whom a provider sends back comes with a code in the address: nobody repeats that.
        """
        if self.request.method not in {"GET", "HEAD"} or self.path.startswith(SENT_BACK):
            return "/"
        return f"{self.path}?{query}" if (query := self.request.url.query) else self.path

    @property
    def say(self) -> Callable[..., Markup]:
        """A text of the table by its key (`web.texts`)."""
        return say_in(self.language)

    def when(self, moment: datetime) -> str:
        """*moment* in the reader's zone and language."""
        year = self.now.astimezone(self.zone).year
        return day_and_time(moment, self.zone, self.language, year=year)


class Site:
    """The frame of all pages: one for the whole application."""

    def __init__(
        self, config: SiteConfig, database: Database, clock: Callable[[], datetime]
    ) -> None:
        self._config, self._db, self._clock = config, database, clock
        self.static = StaticFiles()
        self.preferences = Preferences.of(config.base_url)
        self._flash = FlashCookie.of(config.base_url)
        self._session = SessionCookie.of(config.base_url)
        self._templates = Environment(
            loader=PackageLoader("clawfeed.web"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._templates.filters["begins"] = begins
        self._templates.globals |= {
            "static": self.static.url,
            "version": config.version,
            "token_field": FIELD,
            "languages": ((Language.ENGLISH, "English"), (Language.CHINESE, "中文")),
            "themes": tuple(Theme),
        }

    def now(self) -> datetime:
        return self._clock()

    @property
    def defaults(self) -> ReaderSettings:
        return self._config.defaults

    async def page(self, request: Request, caller: Caller | None) -> PageView:
        """The view for this request; reads the reader's own language and zone, if they chose."""
        wished = await chosen_settings(self._db, caller.user.id) if caller else None
        settings = wished or self._config.defaults
        return PageView(
            request=request,
            caller=caller,
            language=self.preferences.read_language(request, wished.language if wished else None),
            theme=self.preferences.read_theme(request),
            zone=zone_named(settings.zone)[0],
            now=self._clock(),
            token=csrf_token(self._session.read(request)),
            flash=self._flash.find(request),
        )

    def unasked_page(self, request: Request) -> PageView:
        """The view where the door was not asked, or the database cannot be."""
        return PageView(
            request=request,
            caller=getattr(request.state, "caller", None),
            language=self.preferences.read_language(request),
            theme=self.preferences.read_theme(request),
            zone=zone_named(self._config.defaults.zone)[0],
            now=self._clock(),
            token=csrf_token(self._session.read(request)),
            is_asked=hasattr(request.state, "caller"),
        )

    def render(
        self,
        page: PageView,
        template: str,
        values: Mapping[str, object] | None = None,
        *,
        status: int = 200,
        headers: Mapping[str, str] | None = None,
    ) -> Response:
        """A whole page; no cache keeps it."""
        navigation = navigation_for(page.request, page.caller)
        html = self.html(page, template, {"navigation": navigation, **(values or {})})
        response = Response(html, status, {**HEADERS, **(headers or {})}, HTML)
        if page.flash:
            self._flash.clear(response)
        return response

    def stream(
        self,
        page: PageView,
        template: str,
        values: Mapping[str, object],
        middle: AsyncIterator[str],
        place: AbstractContextManager[None],
    ) -> Response:
        """A page whose *middle* is sent as it comes about, in place of `{{ middle }}`.

        *place* is held meanwhile.
        """
        navigation = navigation_for(page.request, page.caller)
        whole = {"navigation": navigation, "middle": _MIDDLE, **values}
        head, _, tail = self.html(page, template, whole).partition(_MIDDLE)

        async def parts() -> AsyncIterator[str]:
            yield head
            async for part in middle:
                yield part
            yield tail

        return HeldStream(parts(), place, {**HEADERS, **_AS_IT_COMES}, HTML)

    def html(self, page: PageView, template: str, values: Mapping[str, object]) -> str:
        """What *template* makes of *values*: a page, or a fragment of one."""
        return self._templates.get_template(template).render(page=page, t=page.say, **values)

    async def form(self, request: Request) -> Mapping[str, str]:
        """The fields of a form of ours; 403 if it was made for another session.

        Whoever comes with a key has no cookie that somebody else could make use of.
        """
        given = await read_form(request)
        self._require_token(request, given)
        return given

    async def form_with_boxes(
        self, request: Request, name: str, most: int
    ) -> tuple[Mapping[str, str], Sequence[str]]:
        """The same of a form with up to *most* boxes of one *name*, and which are ticked."""
        fields = await read_fields(request, MOST_FIELDS + most)
        given = last_of_each(fields)
        self._require_token(request, given)
        return given, fields.get(name, ())

    async def upload(self, request: Request) -> bytes:
        """The file in a form of ours, by the same rule."""
        given, file = await read_upload(request)
        self._require_token(request, given)
        return file

    def _require_token(self, request: Request, given: Mapping[str, str]) -> None:
        if "authorization" not in request.headers:
            require_token(given, self._session.read(request))

    def go(self, path: str, flash: Flash | None = None) -> Response:
        """To a page of ours (303, so that it is asked for by GET), telling there what was done."""
        response = Response(status_code=303, headers={**HEADERS, "Location": next_path(path)})
        if flash:
            self._flash.leave(response, flash)
        return response

    def fragment(self, page: PageView, template: str, values: Mapping[str, object]) -> Response:
        """A part of a page, for the script."""
        return Response(self.html(page, template, values), 200, dict(HEADERS), HTML)


def wants_fragment(request: Request) -> bool:
    return FRAGMENT in request.headers
