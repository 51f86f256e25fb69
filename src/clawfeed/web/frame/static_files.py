"""Our style sheet, script and pictures: in memory, named by their content, cached for a year."""

from __future__ import annotations

import gzip
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from importlib.resources import files
from typing import Final

from fastapi import APIRouter, HTTPException, Request, Response

from clawfeed.auth.authorization import Access, guarded_router, open_to

_KINDS: Final = {
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}
# Under its own version a file never changes; by its bare name it does with a release, and an hour
# is short enough to notice.
_FOR_EVER: Final = "public, max-age=31536000, immutable"
_FOR_AN_HOUR: Final = "public, max-age=3600"


@dataclass(frozen=True, slots=True, kw_only=True)
class StaticFile:
    """*packed* is for who takes gzip; nothing secret is in it, so its size may tell about it."""

    content: bytes
    packed: bytes
    version: str
    kind: str


class StaticFiles:
    """The files of the folder `static`, as they were when the process started."""

    def __init__(self) -> None:
        folder = files("clawfeed.web") / "static"
        self._files: Mapping[str, StaticFile] = {
            each.name: _loaded(each.name, each.read_bytes())
            for each in folder.iterdir()
            if each.name.rpartition(".")[2] in _KINDS
        }

    def url(self, name: str) -> str:
        """The address of a file, with its version; `KeyError` if there is none."""
        return f"/static/{name}?v={self._files[name].version}"

    def get(self, name: str) -> StaticFile | None:
        return self._files.get(name)


def _loaded(name: str, content: bytes) -> StaticFile:
    return StaticFile(
        content=content,
        packed=gzip.compress(content, 9, mtime=0),
        version=sha256(content).hexdigest()[:12],
        kind=_KINDS[name.rpartition(".")[2]],
    )


def static_routes(static: StaticFiles) -> APIRouter:
    router = guarded_router(tag="pages", in_schema=False)

    @router.get("/favicon.ico")
    @open_to(Access.UNASKED)
    async def favicon() -> Response:
        """Browsers ask for it where no page names a picture: beside JSON and feeds."""
        return Response(status_code=307, headers={"Location": static.url("icon.svg")})

    @router.get("/static/{name}")
    @open_to(Access.UNASKED)
    async def static_file(request: Request, name: str, v: str = "") -> Response:
        found = static.get(name)
        if found is None:
            raise HTTPException(404, f"there is no file {name}")
        headers = {
            "Cache-Control": _FOR_EVER if v == found.version else _FOR_AN_HOUR,
            "ETag": f'"{found.version}"',
            "Vary": "Accept-Encoding",
        }
        if found.version in request.headers.get("if-none-match", ""):
            return Response(status_code=304, headers=headers)
        if "gzip" in request.headers.get("accept-encoding", ""):
            headers["Content-Encoding"] = "gzip"
            return Response(found.packed, headers=headers, media_type=found.kind)
        return Response(found.content, headers=headers, media_type=found.kind)

    return router
