"""One answer read: its status, its headers, and its body within the cap."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import aiohttp

from clawfeed.domain.errors import EgressError
from clawfeed.egress.request_and_response import locations, readable
from clawfeed.egress.response_limits import ResponseBody, too_large


@dataclass(frozen=True, slots=True, repr=False)
class Answer:
    """What one hop brought; a redirect has no body, and *locations* to go on to."""

    status: int
    headers: Mapping[str, str]
    locations: tuple[str, ...]
    body: bytes


async def read_answer(response: aiohttp.ClientResponse, cap: int) -> Answer:
    """The answer in *response*, its body unpacked; raises `EgressError` for one over *cap*."""
    headers = _headers(response)
    is_redirect = 300 <= response.status < 400
    body = b"" if is_redirect else await _read(response, headers, cap)
    places = locations(response.headers.getall("location", ()))
    return Answer(response.status, headers, places, body)


def _headers(response: aiohttp.ClientResponse) -> dict[str, str]:
    headers: dict[str, str] = {}
    for name, value in response.headers.items():
        key, text = name.lower(), readable(value)
        headers[key] = f"{headers[key]}, {text}" if key in headers else text
    return headers


async def _read(response: aiohttp.ClientResponse, headers: Mapping[str, str], cap: int) -> bytes:
    try:
        if not response.content.at_eof():
            return await _unpack(response, headers, cap)
    except EgressError:
        # Of a failure the status matters, and the caller must learn it.
        if response.status < 400:
            raise
    return b""


async def _unpack(response: aiohttp.ClientResponse, headers: Mapping[str, str], cap: int) -> bytes:
    body = ResponseBody(headers.get("content-encoding", ""), cap)
    if (response.content_length or 0) > body.wire_cap:
        raise too_large(cap)
    try:
        async for chunk in response.content.iter_any():
            body.feed(chunk)
        return body.finish()
    except EgressError:
        if response.status < 400:
            raise
        return body.so_far()
