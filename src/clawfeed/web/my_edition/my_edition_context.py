"""What the parts of `/my-edition` need, and how the whole page is put together."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field

from fastapi import Request, Response

from clawfeed.auth.limits.action_rate_limits import PreviewTurns
from clawfeed.digest.on_demand_editions import EditionsOnDemand
from clawfeed.digest.preview import EditionPreviewer
from clawfeed.domain.ids import VoteId
from clawfeed.domain.people.users import Caller
from clawfeed.storage.channels.channels import ChannelStore
from clawfeed.storage.database import Database
from clawfeed.storage.editions.interests import InterestStore
from clawfeed.storage.readers.reader_settings import ReaderSettingsStore
from clawfeed.storage.readers.story_feedback import reader_outlook
from clawfeed.storage.readers.votes import VoteStore
from clawfeed.web.frame.page_rendering import Site
from clawfeed.web.my_edition.coming_editions import coming_editions
from clawfeed.web.my_edition.interest_form import WEIGHTS, TypedInterests
from clawfeed.web.my_edition.interest_list import interest_groups
from clawfeed.web.my_edition.preview_lines import Preview
from clawfeed.web.my_edition.settings_form import SettingsFields, settings_values
from clawfeed.web.my_edition.time_zones import zones
from clawfeed.web.my_edition.vote_list import VOTES_SHOWN, vote_values


@dataclass(frozen=True, slots=True, kw_only=True)
class MyEditionPages:
    """*previewer*, *turns* and *editions* are those of the API: one count for both."""

    site: Site
    database: Database
    settings: ReaderSettingsStore
    previewer: EditionPreviewer
    turns: PreviewTurns
    editions: EditionsOnDemand

    @property
    def interests(self) -> InterestStore:
        return InterestStore(self.database)

    @property
    def votes(self) -> VoteStore:
        return VoteStore(self.database)

    async def zones(self) -> tuple[str, ...]:
        """All time zones; the first time they are read from the disk."""
        return await asyncio.to_thread(zones)


@dataclass(frozen=True, slots=True, kw_only=True)
class TriedForm:
    """What somebody tried, to be shown again: *mistakes* are keys of texts, by their field."""

    typed: TypedInterests = field(default_factory=TypedInterests)
    preview: Preview = field(default_factory=Preview)
    fields: SettingsFields | None = None
    mistakes: Mapping[str, str] = field(default_factory=dict)
    before: VoteId | None = None


async def draw(
    pages: MyEditionPages,
    request: Request,
    caller: Caller,
    shown: TriedForm | None = None,
    *,
    status: int = 200,
) -> Response:
    """The whole page, in one round of queries."""
    shown, reader = shown or TriedForm(), caller.user.id
    page, saved, interests, votes, channels, outlook = await asyncio.gather(
        pages.site.page(request, caller),
        pages.settings.get(reader),
        pages.interests.list(reader),
        pages.votes.list(reader, before=shown.before, limit=VOTES_SHOWN + 1),
        ChannelStore(pages.database).list(reader),
        reader_outlook(pages.database, reader),
    )
    values = {
        "follows": outlook.follows,
        "coming": coming_editions(page, saved),
        "groups": interest_groups(interests),
        "zones": await pages.zones(),
        "how": WEIGHTS,
        "typed": shown.typed,
        "preview": shown.preview,
        "mistakes": shown.mistakes,
        "channels": len(channels),
        **vote_values(page, votes),
        **settings_values(page, shown.fields or SettingsFields.of(saved), saved),
    }
    return pages.site.render(page, "my_edition/my_edition.html", values, status=status)
