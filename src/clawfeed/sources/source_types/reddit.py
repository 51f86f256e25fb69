"""The type `reddit`: the posts of a subreddit (S001-5)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from clawfeed.domain.settings.value_kinds import SECRET, TEXT, WEB_ADDRESS
from clawfeed.domain.sources.type_facts import NameMark
from clawfeed.sources.config.reddit import DEFAULTS, KEYS, NAME, SORTS
from clawfeed.sources.source_types.source_type import FetcherKit, Recognised, Shorthand, SourceType
from clawfeed.sources.type_settings import type_setting

if TYPE_CHECKING:
    from clawfeed.sources.fetchers.reddit import Reddit

BASE_URL: Final = type_setting(
    "REDDIT_BASE_URL", WEB_ADDRESS, "https://www.reddit.com", "Where Reddit lives."
)
CLIENT_ID: Final = type_setting(
    "REDDIT_CLIENT_ID", TEXT, None, "The id of a Reddit application, for its API."
)
CLIENT_SECRET: Final = type_setting(
    "REDDIT_CLIENT_SECRET", SECRET, None, "The secret of that Reddit application."
)
_NAME = re.compile(NAME)
_IN_TEXT = re.compile(rf"(?<![\w/])/?r/({NAME})\b")


def _build(kit: FetcherKit) -> Reddit:
    from clawfeed.sources.fetchers.reddit import LIMITS, Reddit

    return Reddit(
        **kit.common,
        base_url=kit.settings[BASE_URL],
        client_id=kit.settings.get(CLIENT_ID),
        client_secret=kit.settings.get(CLIENT_SECRET),
        turns=kit.turns,
        limits=kit.limits(LIMITS),
    )


def _bare(text: str) -> str:
    """The name alone of what people write as `r/name`, `/r/name/` or `name`."""
    return text.strip().strip("/").removeprefix("r/")


def _address(path: list[str], _query: Mapping[str, str]) -> Recognised | None:
    if len(path) < 2 or path[0] != "r" or not _NAME.fullmatch(path[1]):
        return None
    sort = path[2] if len(path) > 2 and path[2] in SORTS else DEFAULTS["sort"]
    return Recognised({"subreddit": path[1], "sort": sort}, f"r/{path[1]}")


def _word(text: str) -> Recognised | None:
    return _address(text.strip("/").split("/"), {})


REDDIT: Final = SourceType(
    name="reddit",
    minutes=60,
    is_hot_list=True,
    keys=KEYS,
    settings=(BASE_URL, CLIENT_ID, CLIENT_SECRET),
    main_key="subreddit",
    defaults=DEFAULTS,
    caseless=frozenset({"subreddit"}),
    mark=NameMark(prefix="r/", in_text=_IN_TEXT, bare=_bare, is_stored_bare=True),
    documents={"reddit": "clawfeed.sources.documents.reddit:parse_listing"},
    addresses={"reddit.com": _address},
    shorthand=Shorthand(
        prefix="r/",
        read=_word,
        expected='a subreddit is "r/" and 2 to 21 of the characters A-Z, a-z, 0-9 and _',
    ),
    probe={"subreddit": "anything"},
    build=_build,
)
TYPES: Final = (REDDIT,)
