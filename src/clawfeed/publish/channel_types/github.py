"""GitHub: a file per edition, by the contents API. Looked for before it is written again."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Final
from urllib.parse import quote

from clawfeed.domain.channels.channel import ChannelDraft, ChannelTiming
from clawfeed.domain.editions.delivery import Recovery
from clawfeed.domain.editions.edition_period import EditionType
from clawfeed.domain.errors import ConfigError, EgressError, InvalidInputError, Reason, RefusalCode
from clawfeed.domain.ids import JsonValue
from clawfeed.egress.politeness import Manners
from clawfeed.egress.request_and_response import Request, Response
from clawfeed.egress.response_limits import Limits
from clawfeed.publish.channel_type import (
    ChannelType,
    Notice,
    OutgoingEdition,
    PublishConfig,
    SendingTools,
)
from clawfeed.publish.github_refusals import is_conflict, refusal
from clawfeed.publish.message import Message, Receipt, RetryVerdict, SendError, Target, lost
from clawfeed.rendering.repository_file import file_name, render_file, render_notice_file, slug
from clawfeed.rendering.safe_text import one_line

TOKEN: Final = "token"  # noqa: S105 -- the secret's name
FOLDER: Final = "digests"
NOTICE_FILE: Final = "notice.md"
# "Pause at least one second between requests that write" (GitHub's best practices).
SPACING: Final = timedelta(seconds=1)
# A file of an edition, in base64, is some hundred kilobytes at most. A repository that was renamed
# answers with a redirect on the same host.
LIMITS: Final = Limits(total=timedelta(seconds=30), body=2_000_000, redirects=2)
# As it is, with the sha of what lies there, and once more should that have changed meanwhile.
MOST_WRITES: Final = 3

_REPOSITORY: Final = re.compile(
    r"(?:https?://github\.com/)?([A-Za-z0-9][A-Za-z0-9-]{0,38}/[A-Za-z0-9._-]{1,100}?)(?:\.git)?/?"
)
# No name begins with a dot: neither `..` nor `.git` nor `.github`, where files are run.
_NAME: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]*(?:\.[A-Za-z0-9_-]+)*")
_TOKEN: Final = re.compile(r"[A-Za-z0-9_.-]{20,255}")
_LONGEST_PATH: Final = 200
# Where the house's channel has its fields from.
_SETTINGS: Final = {
    f"secrets.{TOKEN}": "GITHUB_TOKEN",
    "address": "TARGET_REPO",
    "config.branch": "TARGET_BRANCH",
    "config.folder": "TARGET_FOLDER",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _File:
    """What is to lie where. An empty *branch* is the repository's own choice."""

    repository: str
    branch: str
    path: str
    commit: str
    data: bytes

    @property
    def sha(self) -> str:
        """What git calls this content, so that it can be told without being read."""
        head = f"blob {len(self.data)}\0".encode()
        return hashlib.sha1(head + self.data, usedforsecurity=False).hexdigest()


class GitHubSender:
    """Leaves one file as it should be, in one commit however often it is tried."""

    def __init__(self, tools: SendingTools) -> None:
        self._egress, self._clock = tools.egress, tools.clock
        self._base = tools.config.github_api_base_url.rstrip("/")

    async def send(self, target: Target, message: Message) -> Receipt:
        """Write the file, or find that it is there.

        Without a sha GitHub writes only where nothing is, and with one only over what it names:
        a no means that nothing was written, and we look at what lies there.
        """
        file, token = _file(target, message), _token(target)
        try:
            await self._leave(file, token, is_looked_for=message.may_have_arrived)
        except SendError as error:
            # Whatever failed now says nothing about what an earlier attempt did.
            error.may_have_arrived |= message.may_have_arrived
            raise
        return Receipt(remote_id=file.sha)

    async def _leave(self, file: _File, token: str, *, is_looked_for: bool) -> None:
        there = await self._look(file, token) if is_looked_for else None
        for _ in range(MOST_WRITES):
            if there == file.sha:
                return
            response = await self._write(file, token, there)
            if response.status in (200, 201):
                return
            if not is_conflict(response):
                raise self._refusal(response, file)
            there = await self._look(file, token)
        what = f"Somebody else keeps changing {file.path} in {file.repository}."
        raise SendError(Reason.BUSY, what)

    async def _look(self, file: _File, token: str) -> str | None:
        """The sha of what lies there; None if nothing does. Whoever looks has not written."""
        query = f"?ref={quote(file.branch, safe='')}" if file.branch else ""
        try:
            response = await self._ask("GET", file, token, query=query)
        except SendError as error:
            error.may_have_arrived = False
            raise
        if response.status == 200:
            return _sha(response)
        if response.status in (404, 409):  # 409: a repository without a single commit
            return None
        raise self._refusal(response, file, is_write=False)

    async def _write(self, file: _File, token: str, over: str | None) -> Response:
        order: dict[str, Any] = {
            "message": file.commit,
            "content": base64.b64encode(file.data).decode(),
        }
        if file.branch:
            order["branch"] = file.branch
        if over is not None:
            order["sha"] = over
        return await self._ask("PUT", file, token, body=json.dumps(order).encode())

    async def _ask(
        self, method: str, file: _File, token: str, *, query: str = "", body: bytes | None = None
    ) -> Response:
        request = Request(
            url=f"{self._base}/repos/{file.repository}/contents/{quote(file.path)}{query}",
            method=method,
            headers={
                "Accept": "application/vnd.github+json",
                "Authorization": f"Bearer {token}",
                "Content-Type": "application/json",
                "X-GitHub-Api-Version": "2022-11-28",
            },
            body=body,
            limits=LIMITS,
            # What GitHub asks for counts for one token; the house lets that place rest.
            manners=Manners(
                key=f"github {file.repository}",
                at_once=1,
                spacing=timedelta(0),
                obeys_cooldown=False,
                notes_cooldown=False,
            ),
        )
        try:
            return await self._egress.request(request)
        except EgressError as error:
            raise lost(error) from None

    def _refusal(self, response: Response, file: _File, *, is_write: bool = True) -> SendError:
        now: datetime = self._clock()
        error = refusal(response, repository=file.repository, branch=file.branch, now=now)
        error.may_have_arrived = is_write and response.status >= 500
        return error


def _sha(response: Response) -> str:
    """Of a file. Whatever else lies there (a folder answers with a list) has none that fits."""
    try:
        found = json.loads(response.body)
    except (ValueError, RecursionError):
        found = None
    match found:
        case {"type": "file", "sha": str(sha)}:
            return sha
    return ""


def _file(target: Target, message: Message) -> _File:
    order = json.loads(message.payload)
    config = _checked(target.config)
    folder = config["folder"]
    return _File(
        repository=_repository(target.address),
        branch=config["branch"],
        path=f"{folder}/{order['path']}" if folder else order["path"],
        commit=order["message"],
        data=order["text"].encode(),
    )


def _token(target: Target) -> str:
    token = target.secrets[TOKEN].reveal() if TOKEN in target.secrets else ""
    if not _TOKEN.fullmatch(token):
        what = "This channel has no token for GitHub: set it anew."
        raise SendError(Reason.MISCONFIGURED, what, verdict=RetryVerdict.PAUSE)
    return token


def check(draft: ChannelDraft) -> ChannelDraft:
    token = draft.secrets.get(TOKEN)
    if token is not None and not _TOKEN.fullmatch(token.reveal()):
        raise InvalidInputError(
            "a token of GitHub begins with github_pat_ or ghp_",
            RefusalCode.GITHUB_TOKEN,
            field=f"secrets.{TOKEN}",
        )
    return replace(draft, address=_repository(draft.address), config=dict(_checked(draft.config)))


def _repository(text: str) -> str:
    found = _REPOSITORY.fullmatch(text.strip())
    if found is None or found[1].endswith(("/.", "/..")):
        raise InvalidInputError(
            f"{one_line(text)[:80]!r} is not a repository of GitHub; write owner/name",
            RefusalCode.GITHUB_REPOSITORY,
            field="address",
        )
    return found[1]


def _checked(config: Mapping[str, JsonValue]) -> dict[str, str]:
    folder, branch = config.get("folder", FOLDER), config.get("branch", "")
    if not isinstance(folder, str) or not _is_path(folder.removesuffix("/")):
        raise InvalidInputError(
            "it is made of letters, digits, _ and -, with / between them",
            RefusalCode.GITHUB_FOLDER,
            field="config.folder",
        )
    if not isinstance(branch, str) or not _is_path(branch):
        raise InvalidInputError(
            "that is no branch's name; leave it out for the default one",
            RefusalCode.GITHUB_BRANCH,
            field="config.branch",
        )
    return {"branch": branch, "folder": folder.removesuffix("/")}


def _is_path(text: str) -> bool:
    return len(text) <= _LONGEST_PATH and (not text or all(map(_NAME.fullmatch, text.split("/"))))


def messages(edition: OutgoingEdition, config: Mapping[str, JsonValue]) -> Sequence[str]:
    """One file. Its commit speaks of dates only: a word of a stranger could close an issue."""
    del config
    content = edition.content
    text = render_file(content, edition_id=edition.digest_id, link=edition.link)
    commit = f"ClawFeed: {slug(content.type)} edition {slug(content.period)}"
    return (_payload(file_name(content), commit, text),)


def notice(word: Notice, config: Mapping[str, JsonValue]) -> str:
    """The latest word, in a file of its own."""
    del config
    text = render_notice_file(word.title, word.lines, word.link)
    return _payload(NOTICE_FILE, "ClawFeed: a notice", text)


def _payload(path: str, commit: str, text: str) -> str:
    return json.dumps({"path": path, "message": commit, "text": text}, ensure_ascii=False)


def of_the_house(config: PublishConfig) -> Sequence[ChannelDraft]:
    """The operator's repository. Only it uses the house's token: that may open others, too."""
    if config.target_repo is None:
        return ()
    if config.github_token is None:
        raise ConfigError("TARGET_REPO is set, so set GITHUB_TOKEN, too")
    draft = ChannelDraft(
        kind=TYPE.kind,
        address=config.target_repo,
        name="GitHub",
        config={"branch": config.target_branch, "folder": config.target_folder},
        secrets={TOKEN: config.github_token},
        edition_types=tuple(map(EditionType, config.edition_types)),
        timing=ChannelTiming(zone=config.zone),
        language=config.language,
    )
    try:
        return (check(draft),)
    except InvalidInputError as error:
        raise ConfigError(f"{_SETTINGS[error.field]}: {error.sentence}") from None


def place(address: str, config: Mapping[str, JsonValue]) -> str:
    del config
    return f"github:{address.lower()}"


OPTIONS: Final[Mapping[str, str]] = {
    "branch": "The branch to write to; without it the repository's default branch.",
    "folder": f"The folder that gets the files; {FOLDER} without it.",
}
TYPE: Final = ChannelType(
    kind="github",
    label="GitHub",
    recovery=Recovery.READ_BACK,
    check=check,
    messages=messages,
    notice=notice,
    sender=GitHubSender,
    place=place,
    secrets=(TOKEN,),
    are_secrets_of_place=False,  # it opens GitHub, whichever repository it is
    options=OPTIONS,
    spacing=SPACING,
    of_the_house=of_the_house,
)
