"""What browsers send from our forms, read within a limit."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import parse_qs

from fastapi import HTTPException, Request

# A form of ours is a few hundred bytes; a password at most a thousand (T14).
LARGEST_FORM = 64 * 1024
MOST_FIELDS = 50


async def read_form(request: Request) -> Mapping[str, str]:
    """The fields of a urlencoded form, the last of each name; 413 if it is too large."""
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > LARGEST_FORM:
            raise HTTPException(413, "this form is too large")
    try:
        fields = parse_qs(
            body.decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=MOST_FIELDS
        )
    except ValueError:
        raise HTTPException(400, "this form has too many fields") from None
    return {name: values[-1] for name, values in fields.items()}
