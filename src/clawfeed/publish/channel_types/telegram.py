"""Telegram: a message per part, by a bot. It knows no repetition, so what is unknown is asked."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any, Final

from clawfeed.domain.channels.channel import ChannelDraft
from clawfeed.domain.editions.delivery import Recovery
from clawfeed.domain.errors import ConfigError, EgressError, InvalidInputError, Reason, RefusalCode
from clawfeed.domain.ids import JsonValue
from clawfeed.domain.schedule.longest_wait import LONGEST_WAIT
from clawfeed.domain.secret import MASK, Secret
from clawfeed.domain.status_reasons import reason_of_status
from clawfeed.egress.politeness import Manners
from clawfeed.egress.request_and_response import Request, Response
from clawfeed.egress.response_limits import Limits
from clawfeed.egress.retry_after import parse_retry_after
from clawfeed.publish.channel_type import (
    ChannelType,
    Notice,
    OutgoingEdition,
    PublishConfig,
    SendingTools,
)
from clawfeed.publish.message import Message, Receipt, RetryVerdict, SendError, Target, lost
from clawfeed.rendering.safe_text import one_line
from clawfeed.rendering.telegram import plain_of, render_telegram, render_telegram_notice

TOKEN: Final = "bot_token"  # noqa: S105 -- the secret's name
# "More than one message per second in a chat" is too much for Telegram (Bots FAQ). For a group it
# is 20 a minute: an edition has a few parts, and beyond that Telegram says how long to wait.
SPACING: Final = timedelta(seconds=1)
# One bot may send 30 messages a second to all its chats together; ours takes two thirds.
BOT_SPACING: Final = timedelta(milliseconds=40)
LIMITS: Final = Limits(total=timedelta(seconds=30), body=100_000, redirects=0)

_NAME: Final = re.compile(r"(?:https?://t\.me/|t\.me/|@)([A-Za-z][A-Za-z0-9_]{3,31})/?")
_NUMBER: Final = re.compile(r"-?[1-9][0-9]{0,18}")
_TOKEN: Final = re.compile(r"([0-9]{3,20}):[A-Za-z0-9_-]{20,100}")
# What Telegram's 400 may say that will not pass: the chat has to be put right.
_NO_ENTRY: Final = ("chat not found", "not enough rights", "have no rights", "administrator rights")


class TelegramSender:
    """Sends one message at a time. No text of its errors holds the token, although the URL does."""

    def __init__(self, tools: SendingTools) -> None:
        self._egress, self._clock = tools.egress, tools.clock
        self._base = tools.config.telegram_api_base_url.rstrip("/")

    async def send(self, target: Target, message: Message) -> Receipt:
        """As it is; once more as plain text, or to the chat's new number, if Telegram says so.

        Either no is certain: nothing was posted.
        """
        token, bot = _token_of(target)
        order = _Order(chat=target.address, text=message.payload)
        moved_to: str | None = None
        while True:
            answer = await self._ask(order, token, bot)
            if answer.message_id is not None:
                return Receipt(remote_id=str(answer.message_id), moved_to=moved_to)
            if answer.moved_to is not None and moved_to is None:
                moved_to = answer.moved_to
                order = replace(order, chat=moved_to)
            elif answer.is_about_markup and order.is_html:
                order = replace(order, text=plain_of(order.text), is_html=False)
            else:
                raise answer.error(target.address, token)

    async def _ask(self, order: _Order, token: str, bot: str) -> _Answer:
        request = Request(
            url=f"{self._base}/bot{token}/sendMessage",
            method="POST",
            headers={"Content-Type": "application/json", "Accept": "application/json"},
            body=order.body(),
            limits=LIMITS,
            # What Telegram asks for counts for one chat; the house lets that place rest.
            manners=Manners(
                key=f"telegram bot {bot}",
                at_once=10,
                spacing=BOT_SPACING,
                obeys_cooldown=False,
                notes_cooldown=False,
            ),
            is_once=True,
        )
        try:
            response = await self._egress.request(request)
        except EgressError as error:
            raise lost(error) from None
        header = parse_retry_after(response.headers.get("retry-after"), self._clock())
        return _read(response, header)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Order:
    chat: str
    text: str
    is_html: bool = True

    def body(self) -> bytes:
        order: dict[str, Any] = {
            "chat_id": self.chat if self.chat.startswith("@") else int(self.chat),
            "text": self.text,
            "link_preview_options": {"is_disabled": True},
        }
        if self.is_html:
            order["parse_mode"] = "HTML"
        return json.dumps(order).encode()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Answer:
    """What Telegram said. *message_id* is None unless it posted the message."""

    status: int
    message_id: int | None = None
    description: str = ""
    moved_to: str | None = None
    wait: timedelta | None = None

    @property
    def is_about_markup(self) -> bool:
        return self.status == 400 and "can't parse entities" in self.description.lower()

    def error(self, chat: str, token: str) -> SendError:
        status = self.status
        if status == 429:
            return SendError(
                Reason.BUSY, "Telegram asks us to wait before the next message to this chat.",
                status=status, wait=self.wait, is_place_resting=True,
            )  # fmt: skip
        # A gateway's answer: the request may have been passed on before. It has happened that a
        # message was there after a 502. A 200 that cannot be read is no better.
        if status >= 500 or status < 400:
            detail = f"Telegram answered with status {status}, so the message may have arrived."
            reason = reason_of_status(status, otherwise=Reason.UNREADABLE)
            return SendError(reason, detail, status=status, may_have_arrived=True)
        reason, detail, verdict = self._refusal(chat)
        said = one_line(self.description.replace(token, MASK))[:200]
        detail = f"{detail} (Telegram: {said})" if said else detail
        return SendError(reason, detail, status=status, verdict=verdict)

    def _refusal(self, chat: str) -> tuple[Reason, str, RetryVerdict]:
        if self.status in (401, 404):
            what = "Telegram does not know this bot: give the channel its token, or a new one."
            return Reason.AUTH_REQUIRED, what, RetryVerdict.PAUSE
        if self.status == 403:
            what = f"The bot may not write to {chat}: unblock it there, or add it again."
            return Reason.REFUSED, what, RetryVerdict.PAUSE
        if any(each in self.description.lower() for each in _NO_ENTRY):
            what = f"The bot cannot write to {chat}: check the name, and add the bot there."
            return Reason.GONE, what, RetryVerdict.PAUSE
        return Reason.REFUSED, "Telegram does not take this message.", RetryVerdict.GIVE_UP


def _read(response: Response, asked: timedelta | None) -> _Answer:
    try:
        said = json.loads(response.body)
    except (ValueError, RecursionError):
        said = None
    answer = _Answer(status=response.status, wait=asked)
    match said:
        case {"ok": True, "result": {"message_id": int(number)}} if response.status == 200:
            return replace(answer, message_id=number)
        case {"ok": False}:
            description, parameters = said.get("description"), said.get("parameters")
            return replace(
                answer,
                description=description if isinstance(description, str) else "",
                **_parameters(parameters if isinstance(parameters, dict) else {}),
            )
    return answer


def _parameters(given: Mapping[str, object]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    seconds, chat = given.get("retry_after"), given.get("migrate_to_chat_id")
    if type(seconds) is int and seconds > 0:
        found["wait"] = min(timedelta(seconds=min(seconds, 10**6)), LONGEST_WAIT)
    if type(chat) is int and _NUMBER.fullmatch(str(chat)):
        found["moved_to"] = str(chat)
    return found


def _token_of(target: Target) -> tuple[str, str]:
    """The token, and the part of it that is no secret."""
    token = target.secrets[TOKEN].reveal() if TOKEN in target.secrets else ""
    found = _TOKEN.fullmatch(token)
    if found is None:
        what = "This channel has no token of a bot: set it anew."
        raise SendError(Reason.MISCONFIGURED, what, verdict=RetryVerdict.PAUSE)
    return token, found[1]


def check(draft: ChannelDraft) -> ChannelDraft:
    token = draft.secrets.get(TOKEN)
    if token is not None and not _TOKEN.fullmatch(token.reveal()):
        raise InvalidInputError(
            "a bot's token looks like 123456789:AAE..., and @BotFather shows it",
            RefusalCode.TELEGRAM_TOKEN,
            field=f"secrets.{TOKEN}",
        )
    return replace(draft, address=_chat(draft.address))


def _chat(text: str) -> str:
    """A chat in its one spelling; names of either case are the same chat."""
    written = text.strip()
    if named := _NAME.fullmatch(written):
        return f"@{named[1].lower()}"
    if _NUMBER.fullmatch(written):
        return written
    raise InvalidInputError(
        f"{one_line(text)[:80]!r} is not a chat of Telegram; write @name, or its number",
        RefusalCode.TELEGRAM_CHAT,
        field="address",
    )


def messages(edition: OutgoingEdition, config: Mapping[str, JsonValue]) -> Sequence[str]:
    del config
    return render_telegram(edition.content, edition.link)


def notice(word: Notice, config: Mapping[str, JsonValue]) -> str:
    del config
    return render_telegram_notice(word.title, word.lines, word.link)


def of_the_house(config: PublishConfig) -> Sequence[ChannelDraft]:
    """The operator's channels. Only they use the house's bot.

    It may write wherever it was let in, so a reader who could choose the chat could write there.
    """
    chats = {
        "TELEGRAM_CHANNEL_ID": config.telegram_channel_id,
        "ALARM_TELEGRAM_CHAT_ID": config.alarm_telegram_chat_id,
    }
    wanted = {name: chat for name, chat in chats.items() if chat}
    if wanted and config.telegram_bot_token is None:
        raise ConfigError(f"{next(iter(wanted))} is set, so set TELEGRAM_BOT_TOKEN, too")
    secrets = {TOKEN: config.telegram_bot_token or Secret("")}
    return [_of_the_house(name, chat, config, secrets) for name, chat in wanted.items()]


def _of_the_house(
    setting: str, chat: str, config: PublishConfig, secrets: Mapping[str, Secret]
) -> ChannelDraft:
    is_alarm = setting == "ALARM_TELEGRAM_CHAT_ID"
    draft = config.house_draft(
        TYPE.kind,
        chat,
        "Telegram, alarms" if is_alarm else "Telegram",
        secrets=secrets,
        gets_editions=not is_alarm,
        gets_alarms=is_alarm,
    )
    try:
        return check(draft)
    except InvalidInputError as error:
        raise ConfigError(f"{setting} or TELEGRAM_BOT_TOKEN: {error.sentence}") from None


def place(address: str, config: Mapping[str, JsonValue]) -> str:
    del config
    return f"telegram:{address}"


TYPE: Final = ChannelType(
    kind="telegram",
    label="Telegram",
    recovery=Recovery.ASK,
    check=check,
    messages=messages,
    notice=notice,
    sender=TelegramSender,
    place=place,
    secrets=(TOKEN,),
    are_secrets_of_place=False,  # a bot's token opens Telegram, whichever chat it is
    spacing=SPACING,
    of_the_house=of_the_house,
)
