"""Character references in strangers' text (`&eacute;`, `&#233;`) as the characters they mean."""

from __future__ import annotations

import html
import re

# Seven digits name every character there is (U+10FFFF is 1114111), and then some.
_LONG_NUMBER = re.compile(r"&#([0-9]{8,});?")
_NO_CHARACTER = "\N{REPLACEMENT CHARACTER}"


def unescape(text: str) -> str:
    """*text* with its references decoded once, as browsers do; never raises.

    `html.unescape` alone raises over a number of more than 4,300 digits: Python reads no longer
    ones, and one such reference would cost the whole document.
    """
    return html.unescape(_LONG_NUMBER.sub(_shortened, text))


def _shortened(reference: re.Match[str]) -> str:
    digits = reference[1].lstrip("0")
    return _NO_CHARACTER if len(digits) > 7 else f"&#{digits or 0};"
