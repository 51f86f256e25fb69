"""Takes secrets out of texts before people or files see them (T17).

Two nets: the exact secrets of this installation, and the shapes secrets usually have. Both err
on the side of masking too much. Every pattern is linear in the length of its text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from functools import cache
from urllib.parse import quote, quote_plus, unquote

from clawfeed.domain.secret import MASK

# A secret shorter than this would mask half of every line, and protects nothing anyway.
SHORTEST_SECRET = 4

_USERINFO = r"(?<=://)[^\s/?#]*@"
_SHAPES: tuple[tuple[str, str], ...] = (
    (_USERINFO, MASK + "@"),
    # A header, raw (to the end of its line) or in the repr of a mapping.
    (
        r"""((?:authorization|cookie)["']?\s*[:=,]\s*)(?:"[^"\r\n]*"|'[^'\r\n]*'|[^\r\n]+)""",
        r"\1" + MASK,
    ),
    (r"\b(bearer\s+)[\w.~+/=-]{6,}", r"\1" + MASK),
    (
        r"""((?:token|key|secret|password|passwd|signature|sig)=)(?:"[^"]*"|'[^']*'|[^&\s"']+)""",
        r"\1" + MASK,
    ),
    # The same names in JSON or in the repr of a mapping.
    (
        r"""((?:token|secret|password|passwd|api_?key)["']\s*:\s*)(?:"[^"]*"|'[^']*')""",
        r'\1"' + MASK + '"',
    ),
    # Telegram; without "bot" only as long as real ones, since `id:hash` is our own dedup key.
    (r"bot\d+:[\w-]{30,}|(?<!\d)\d{8,12}:[\w-]{30,}", MASK),
    (r"(?<![A-Za-z0-9])(?:gh[opsur]_|github_pat_|sk-|xox[abeprs]-|cf_)[\w-]{8,}", MASK),
)


class Redactor:
    """Call it with a text to get the text without secrets; the same text twice changes nothing."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        forms = {form for secret in secrets for form in _written_forms(secret)}
        # The longest first: a secret may begin with another one.
        by_length = sorted(forms, key=lambda form: (-len(form), form))
        self._exact = re.compile("|".join(map(re.escape, by_length))) if by_length else None

    def __call__(self, text: str) -> str:
        if self._exact:
            text = self._exact.sub(MASK, text)
        for pattern, replacement in _compiled():
            text = pattern.sub(replacement, text)
        return text


def passwords_in(text: str) -> set[str]:
    """The passwords inside the URLs of *text*, as written and decoded."""
    found = {
        userinfo[:-1].partition(":")[2]
        for userinfo in re.findall(_USERINFO, text)
        if ":" in userinfo
    }
    return {form for password in found if password for form in (password, unquote(password))}


def is_secret_name(name: str) -> bool:
    """Whether a field of this name holds a secret whatever it looks like."""
    return (
        name.lower()
        .replace("-", "_")
        .endswith(
            (
                "token",
                "secret",
                "password",
                "passwd",
                "authorization",
                "cookie",
                "api_key",
                "apikey",
            )
        )
    )


@cache
def _compiled() -> tuple[tuple[re.Pattern[str], str], ...]:
    # At first use and not at import: they cost more than the rest of start-up configuration.
    return tuple((re.compile(shape, re.IGNORECASE), mask) for shape, mask in _SHAPES)


def _written_forms(secret: str) -> set[str]:
    """The ways a secret may stand in a text: plain, in a URL, in JSON, in a repr."""
    if len(secret) < SHORTEST_SECRET:
        return set()
    return {
        secret,
        quote(secret),
        quote(secret, safe=""),
        quote_plus(secret),
        json.dumps(secret)[1:-1],
        json.dumps(secret, ensure_ascii=False)[1:-1],
        repr(secret)[1:-1],
    }
