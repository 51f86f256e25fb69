"""Where to go after signing in: a page of ours, whatever the address says (T11)."""

from __future__ import annotations

import re

from ada_url import URL

HOME = "/"
LONGEST_PATH = 2000
# Any origin does: a path that is really local resolves to whichever one it is read against.
_OURS = "https://clawfeed.invalid"
_LOCAL = re.compile(r"/(?![/\\])")
# Browsers drop some of these before they read a URL; nobody has them in a path of ours.
_UNSEEN = re.compile(r"[\x00-\x20\x7f-\xa0\u2028\u2029\ud800-\udfff\\]")

# Two slashes in a row, or what a careless proxy would decode to them or to a control character;
# and the doors themselves, which would send people round in circles or out again.
_HARMFUL = re.compile(
    r"(?:/|%2f|%5c){2}|%[01][0-9a-f]|^/(?:login|logout|setup)(?:/|$)", re.IGNORECASE
)


def next_path(wanted: str | None) -> str:
    """*wanted* if it leads to a page of ours, as the browser would read it; else the front page."""
    if (
        not wanted
        or len(wanted) > LONGEST_PATH
        or _UNSEEN.search(wanted)
        or not _LOCAL.match(wanted)
    ):
        return HOME
    try:
        url = URL(wanted, base=_OURS)
    except ValueError:
        return HOME
    path = f"{url.pathname}{url.search}{url.hash}"
    # Dots may have gone and left two slashes at the front: `/..//evil.example`.
    if url.origin != _OURS or not _LOCAL.match(path) or _HARMFUL.search(url.pathname):
        return HOME
    return path
