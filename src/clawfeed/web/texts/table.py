"""All texts of the pages. A page says nothing that is not in here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from markupsafe import Markup, escape

from clawfeed.domain.because_wording import Language
from clawfeed.web.texts.account import ACCOUNT
from clawfeed.web.texts.entrance import ENTRANCE
from clawfeed.web.texts.first_run import FIRST_RUN
from clawfeed.web.texts.frame import FRAME
from clawfeed.web.texts.one_source import ONE_SOURCE
from clawfeed.web.texts.reading import READING
from clawfeed.web.texts.reference import REFERENCE
from clawfeed.web.texts.source_failures import SOURCE_FAILURES
from clawfeed.web.texts.sources import SOURCES
from clawfeed.web.texts.text import Texts

# Add the texts of a new area here; a test sees that no key is in two of them.
AREAS: Final[tuple[Texts, ...]] = (
    FRAME,
    ENTRANCE,
    READING,
    SOURCES,
    SOURCE_FAILURES,
    ONE_SOURCE,
    REFERENCE,
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
