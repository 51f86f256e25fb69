"""GitHub's contents API behind `/github/`: files in memory, commits in the journal of effects."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from clawfeed.simulator.serving.http import Headers, Request
from clawfeed.simulator.serving.responses import Answer, as_json
from clawfeed.simulator.side_effects import Effect
from clawfeed.simulator.world import World

SERVICE = "github"
TOKEN = "github_pat_simulated_token_opens_nothing"  # noqa: S105 -- nothing but this
# Repositories with a fate of their own. Everything else is there, and may be written to.
MISSING, ARCHIVED, READ_ONLY = "simulated/missing", "simulated/archived", "simulated/read-only"
PROTECTED, USED_UP = "simulated/protected", "simulated/used-up"
BRANCHES = frozenset({"main", "gh-pages"})
WINDOW_SECONDS = 600
DOCS = "https://docs.github.com/rest/repos/contents#create-or-update-file-contents"

_CONTENTS = re.compile(r"/github/repos/([^/]+/[^/]+)/contents/(.+)")
_Key = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class _Asked:
    """A file: its repository, branch and path."""

    repository: str
    branch: str
    path: str

    @property
    def key(self) -> _Key:
        return self.repository.lower(), self.branch, self.path

    @property
    def place(self) -> str:
        return f"{self.repository}@{self.branch}/{self.path}"


class GitHub:
    """An effect's place is `owner/name@branch/path`, its key the commit's message."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._files: dict[_Key, bytes] = {}
        self._commits = 0

    def answer(self, request: Request) -> Answer:
        asked = _CONTENTS.fullmatch(request.path)
        if request.headers.get("authorization") not in (f"Bearer {TOKEN}", f"token {TOKEN}"):
            return self._no(401, "Bad credentials")
        if asked is None or asked[1].lower() == MISSING:
            return self._no(404, "Not Found")
        if asked[1].lower() == USED_UP:
            return self._no(403, "API rate limit exceeded for user ID 1.", remaining=0)
        match request.method:
            case "GET":
                return self._get(_Asked(asked[1], request.parameter("ref", "main"), asked[2]))
            case "PUT":
                return self._put_order(request, asked[1], asked[2])
        return self._no(404, "Not Found")

    def _get(self, asked: _Asked) -> Answer:
        if asked.branch not in BRANCHES:
            return self._no(404, f"No commit found for the ref {asked.branch}")
        data = self._files.get(asked.key)
        if data is None:
            return self._no(404, "Not Found")
        content = {"encoding": "base64", "content": base64.encodebytes(data).decode()}
        return as_json(_file(asked, data) | content, headers=self._headers())

    def _put_order(self, request: Request, repository: str, path: str) -> Answer:
        refused = _REFUSALS.get(repository.lower())
        if refused is not None:
            return self._no(*refused)
        try:
            order = json.loads(request.body)
            message = str(order["message"])
            data = base64.b64decode(order["content"], validate=True)
        except (ValueError, KeyError, TypeError, binascii.Error):
            return self._no(422, "Invalid request.\n\ncontent is not valid Base64")
        return self._put(
            _Asked(repository, order.get("branch", "main"), path), order, message, data
        )

    def _put(self, asked: _Asked, order: dict[str, Any], message: str, data: bytes) -> Answer:
        if asked.branch not in BRANCHES:
            return self._no(404, f"Branch {asked.branch} not found")
        if not all(map(_is_component, asked.path.split("/"))):
            return self._no(422, "path contains a malformed path component")
        there, sha = self._files.get(asked.key), order.get("sha")
        if there is not None and sha is None:
            return self._no(422, 'Invalid request.\n\n"sha" wasn\'t supplied.')
        if there is not None and sha != blob_sha(there):
            return self._no(409, f"{asked.path} does not match {sha}")
        self._files[asked.key] = data
        return self._committed(asked, message, data, is_new=there is None)

    def _committed(self, asked: _Asked, message: str, data: bytes, *, is_new: bool) -> Answer:
        self._commits += 1
        text = data.decode("utf-8", "replace")
        self._world.effects.add(
            Effect(service=SERVICE, place=asked.place, content=text, key=message)
        )
        commit = {"sha": blob_sha(f"{self._commits} {message}".encode()), "message": message}
        body = {"content": _file(asked, data), "commit": commit}
        return as_json(body, status=201 if is_new else 200, headers=self._headers())

    def _no(self, status: int, message: str, *, remaining: int = 4_999) -> Answer:
        body = {"message": message, "documentation_url": DOCS, "status": str(status)}
        return as_json(body, status=status, headers=self._headers(remaining))

    def _headers(self, remaining: int = 4_999) -> Headers:
        reset = int(self._world.clock().timestamp()) + WINDOW_SECONDS
        return (
            ("X-RateLimit-Limit", "5000"),
            ("X-RateLimit-Remaining", str(remaining)),
            ("X-RateLimit-Reset", str(reset)),
            ("X-RateLimit-Resource", "core"),
        )


_REFUSALS: Mapping[str, tuple[int, str]] = {
    ARCHIVED: (403, "Repository was archived so is read-only."),
    READ_ONLY: (403, "Resource not accessible by personal access token"),
    PROTECTED: (
        409,
        "Repository rule violations found\n\nChanges must be made through a pull request.\n\n",
    ),
}


def blob_sha(data: bytes) -> str:
    """What git calls a file's content."""
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def _is_component(name: str) -> bool:
    return bool(name) and name.lower() not in {".", "..", ".git"} and "\0" not in name


def _file(asked: _Asked, data: bytes) -> dict[str, Any]:
    return {
        "type": "file",
        "name": asked.path.rpartition("/")[2],
        "path": asked.path,
        "sha": blob_sha(data),
        "size": len(data),
        "html_url": f"https://github.com/{asked.repository}/blob/{asked.branch}/{asked.path}",
    }
