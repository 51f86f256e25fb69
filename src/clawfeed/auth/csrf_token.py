"""What a form of ours proves: that its page was made for this very session (T12).

The second lock beside `OwnOrigin`. Nothing is stored: whoever cannot read the session's cookie
cannot make the token, and the token does not tell the cookie.
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from hashlib import sha256
from typing import Final

from clawfeed.auth.refused import RefusedError
from clawfeed.domain.errors import RefusalCode

FIELD: Final = "csrf_token"
_PURPOSE: Final = b"clawfeed form"


def csrf_token(session_token: str | None) -> str:
    """The token for the forms of one session; empty for who has none, and nothing to lose."""
    if not session_token:
        return ""
    return hmac.new(session_token.encode("utf-8", "replace"), _PURPOSE, sha256).hexdigest()[:32]


def require_token(form: Mapping[str, str], session_token: str | None) -> None:
    """Raise 403 unless *form* was made for this session."""
    wanted = csrf_token(session_token)
    if not hmac.compare_digest(form.get(FIELD, "").encode(), wanted.encode()):
        raise RefusedError(
            403,
            "this page is of another session; load it again and repeat it",
            RefusalCode.PAGE_OUTDATED,
        )
