"""An answer that is sent as it comes about, with a place held for as long as it takes."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractContextManager

from fastapi.responses import StreamingResponse
from starlette.types import Receive, Scope, Send


class HeldStream(StreamingResponse):
    """Sends *parts* as they come, within *place*: what is held is let go however it ends.

    Who gets no place is refused before anything is sent.
    """

    def __init__(
        self,
        parts: AsyncIterator[str | bytes],
        place: AbstractContextManager[None],
        headers: Mapping[str, str],
        media_type: str,
    ) -> None:
        super().__init__(parts, 200, headers, media_type)
        self._place = place

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with self._place:
            await super().__call__(scope, receive, send)
