"""What browsers send from our forms, read within a limit."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final
from urllib.parse import parse_qs

from fastapi import Request

from clawfeed.auth.refused import RefusedError
from clawfeed.domain.errors import RefusalCode

# A form of ours is a few hundred bytes; a password at most a thousand (T14).
LARGEST_FORM = 64 * 1024
MOST_FIELDS = 50
_BOUNDARY: Final = re.compile(r"""^multipart/form-data;.*boundary="?([\w'()+,./:=?-]{1,70})"?""")
_FIELD_NAME: Final = re.compile(rb'[; ]name="([^"\r\n]{1,100})"')


async def read_form(request: Request) -> Mapping[str, str]:
    """The fields of a urlencoded form, the last of each name; 413 if it is too large."""
    return last_of_each(await read_fields(request, MOST_FIELDS))


def last_of_each(fields: Mapping[str, Sequence[str]]) -> Mapping[str, str]:
    return {name: values[-1] for name, values in fields.items()}


async def read_fields(request: Request, most: int) -> Mapping[str, Sequence[str]]:
    """Every value of each name: what a list of boxes sends."""
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > LARGEST_FORM:
            raise RefusedError(413, "this form is too large", RefusalCode.FORM_TOO_LARGE)
    try:
        return parse_qs(
            body.decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=most
        )
    except ValueError:
        raise RefusedError(
            400, "this form has too many fields", RefusalCode.FORM_TOO_LARGE
        ) from None


async def read_upload(request: Request) -> tuple[Mapping[str, str], bytes]:
    """The fields of a form with one file in it, and the file; 400 if it is no such form.

    How large it may be is said where all requests come in (`api.http.body_limit`).
    """
    boundary = _BOUNDARY.search(request.headers.get("content-type", ""))
    if boundary is None:
        raise RefusedError(400, "this form has no file in it", RefusalCode.LIST_MISSING)
    body = b"\r\n" + await request.body()
    pieces = body.split(b"\r\n--" + boundary[1].encode(), MOST_FIELDS)
    fields: dict[str, str] = {}
    file = b""
    for piece in pieces[1:-1]:
        head, _, value = piece.partition(b"\r\n\r\n")
        name = _FIELD_NAME.search(head)
        if b"filename=" in head:
            file = value
        elif name:
            fields[name[1].decode("utf-8", "replace")] = value.decode("utf-8", "replace")
    return fields, file
