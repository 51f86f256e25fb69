"""Turned away over HTTP: a status and a sentence, and what pages say in its place."""

from __future__ import annotations

from collections.abc import Mapping

from fastapi import HTTPException

from clawfeed.domain.errors import RefusalCode


class RefusedError(HTTPException):
    """What `UserError` is where a status says it best, such as 401 and 429.

    *told* is what pages say in place of the sentence, filled with *parts*.
    """

    def __init__(
        self,
        status: int,
        sentence: str,
        told: RefusalCode,
        *,
        headers: Mapping[str, str] | None = None,
        **parts: object,
    ) -> None:
        super().__init__(status, sentence, dict(headers or {}))
        self.told, self.parts = told, parts

    @property
    def wait(self) -> str | None:
        """In how many seconds one may come back, as `Retry-After` has it."""
        return (self.headers or {}).get("Retry-After")
