"""All texts of the pages. A page says nothing that is not in here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from markupsafe import Markup, escape

from clawfeed.domain.wording.because_wording import Language
from clawfeed.web.texts.account import ACCOUNT
from clawfeed.web.texts.api_reference import REFERENCE
from clawfeed.web.texts.channel_kinds import CHANNEL_KINDS
from clawfeed.web.texts.channels import CHANNELS
from clawfeed.web.texts.delivery_failures import DELIVERY_FAILURES
from clawfeed.web.texts.first_run import FIRST_RUN
from clawfeed.web.texts.form_errors import REFUSALS
from clawfeed.web.texts.frame import FRAME
from clawfeed.web.texts.items import ITEMS
from clawfeed.web.texts.my_edition import MY_EDITION
from clawfeed.web.texts.operations import OPERATIONS
from clawfeed.web.texts.operations_admin import OPERATIONS_ADMIN
from clawfeed.web.texts.operations_people import OPERATIONS_PEOPLE
from clawfeed.web.texts.packs import PACKS
from clawfeed.web.texts.reading import READING
from clawfeed.web.texts.sign_in import ENTRANCE
from clawfeed.web.texts.source_editing import SOURCE_EDITING
from clawfeed.web.texts.source_failures import SOURCE_FAILURES
from clawfeed.web.texts.source_faults import SOURCE_FAULTS
from clawfeed.web.texts.source_page import ONE_SOURCE
from clawfeed.web.texts.sources import SOURCES
from clawfeed.web.texts.text import Texts
from clawfeed.web.texts.x_account import OWN_X

# Add the texts of a new area here; a test sees that no key is in two of them.
AREAS: Final[tuple[Texts, ...]] = (
    FRAME,
    ENTRANCE,
    READING,
    SOURCES,
    PACKS,
    REFUSALS,
    SOURCE_FAILURES,
    ONE_SOURCE,
    ITEMS,
    OPERATIONS,
    SOURCE_EDITING,
    SOURCE_FAULTS,
    REFERENCE,
    MY_EDITION,
    CHANNELS,
    CHANNEL_KINDS,
    DELIVERY_FAILURES,
    OWN_X,
    OPERATIONS_ADMIN,
    OPERATIONS_PEOPLE,
    FIRST_RUN,
    ACCOUNT,
)
TEXTS: Final[Texts] = {key: text for area in AREAS for key, text in area.items()}

Say = Callable[..., Markup]


def say_in(language: Language) -> Say:
    """What templates call `t`: a text by its key, its parts escaped unless they are markup."""

    def say(key: str, /, **parts: object) -> Markup:
        return escape(TEXTS[key].in_(language, parts.get("n"))).format_map(parts)

    return say
