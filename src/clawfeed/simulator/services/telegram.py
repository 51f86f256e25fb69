"""Telegram's Bot API behind `/telegram/`: one bot, and a few chats with a fate of their own."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict, deque
from datetime import datetime, timedelta
from typing import Any

from clawfeed.simulator.services.telegram_html import (
    Entity,
    UnreadableHtmlError,
    found_in,
    read_html,
    units,
)
from clawfeed.simulator.serving.http import Request
from clawfeed.simulator.serving.responses import Answer, as_json
from clawfeed.simulator.side_effects import Effect
from clawfeed.simulator.world import World

SERVICE = "telegram"
BOT_TOKEN = "1234567890:simulated-bot-token-opens-nothing"  # noqa: S105 -- nothing but this
# Everybody else is there, and lets the bot in.
MISSING_CHAT, BLOCKING_CHAT, LEFT_GROUP = "404404", "403403", "-403403"
OLD_GROUP, NEW_GROUP = "-5005", "-1001000005005"
MOST_SHOWN, LONGEST_ENTITIES = 4096, 9500
MINUTE = timedelta(minutes=1)
# Groups take 20 messages a minute, other chats one a second.
MOST_A_MINUTE = {True: 20, False: 60}

_METHOD = re.compile(r"/telegram/bot([^/]+)/(\w+)")
_TOKEN = re.compile(r"\d+:[\w-]{10,}")


class Telegram:
    """What is posted is in the journal of effects: the text as people see it, at its chat."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._posted: Counter[str] = Counter()
        self._times: defaultdict[str, deque[datetime]] = defaultdict(deque)

    def answer(self, request: Request) -> Answer:
        asked = _METHOD.fullmatch(request.path)
        if asked is None or not _TOKEN.fullmatch(asked[1]):
            return _error(404, "Not Found")
        if asked[1] != BOT_TOKEN:
            return _error(401, "Unauthorized")
        match asked[2].lower():
            case "getme":
                return _result(_bot())
            case "sendmessage":
                return self._send(request)
        return _error(404, "Not Found: method not found")

    def _send(self, request: Request) -> Answer:
        try:
            order = json.loads(request.body)
        except ValueError:
            return _error(400, "Bad Request: can't parse request body as JSON")
        chat = str(order.get("chat_id", ""))
        return self._refused(chat) or self._read_and_post(chat, order)

    def _refused(self, chat: str) -> Answer | None:
        if chat in ("", MISSING_CHAT):
            return _error(400, "Bad Request: chat not found")
        if chat == BLOCKING_CHAT:
            return _error(403, "Forbidden: bot was blocked by the user")
        if chat == LEFT_GROUP:
            return _error(403, "Forbidden: bot was kicked from the group chat")
        if chat == OLD_GROUP:
            return _error(
                400,
                "Bad Request: group chat was upgraded to a supergroup chat",
                migrate_to_chat_id=int(NEW_GROUP),
            )
        return None

    def _read_and_post(self, chat: str, order: dict[str, Any]) -> Answer:
        try:
            text, entities = _read(order)
        except UnreadableHtmlError as error:
            return _error(400, f"Bad Request: can't parse entities: {error}")
        if not text:
            return _error(400, "Bad Request: message text is empty")
        if units(text) > MOST_SHOWN:
            return _error(400, "Bad Request: message is too long")
        if units(text) + sum(len(each.url) for each in entities) > LONGEST_ENTITIES:
            return _error(400, "Bad Request: ENTITIES_TOO_LONG")
        wait = self._wait(chat)
        if wait:
            return _error(429, f"Too Many Requests: retry after {wait}", retry_after=wait)
        preview = _preview(text, entities) if _wants_preview(order) else ""
        return self._post(chat, text + preview, entities)

    def _wait(self, chat: str) -> int:
        """Seconds until this chat takes another message."""
        now, times = self._world.clock(), self._times[chat]
        while times and now - times[0] >= MINUTE:
            times.popleft()
        if len(times) < MOST_A_MINUTE[chat.startswith("-")]:
            times.append(now)
            return 0
        return int((times[0] + MINUTE - now).total_seconds()) + 1

    def _post(self, chat: str, text: str, entities: list[Entity]) -> Answer:
        self._posted[chat] += 1
        self._world.effects.add(Effect(service=SERVICE, place=chat, content=text))
        return _result(
            {
                "message_id": self._posted[chat],
                "from": _bot(),
                "chat": _chat(chat),
                "date": int(self._world.clock().timestamp()),
                "text": text,
                "entities": [each.as_json() for each in entities],
            }
        )


def _read(order: dict[str, Any]) -> tuple[str, list[Entity]]:
    raw = str(order.get("text", ""))
    if order.get("parse_mode", "").lower() != "html":
        return raw.strip(), found_in(raw.strip())
    text, entities = read_html(raw.strip())
    return text.strip(), entities


def _wants_preview(order: dict[str, Any]) -> bool:
    options = order.get("link_preview_options")
    return not (isinstance(options, dict) and options.get("is_disabled") is True)


def _preview(text: str, entities: list[Entity]) -> str:
    """What Telegram hangs below a message: the first page that it links to."""
    links = (each.url or _cut(text, each) for each in entities if each.type in ("text_link", "url"))
    first = next(links, "")
    return f"\n[preview of {first}]" if first else ""


def _cut(text: str, entity: Entity) -> str:
    raw = text.encode("utf-16-le")
    return raw[2 * entity.offset : 2 * (entity.offset + entity.length)].decode("utf-16-le")


def _bot() -> dict[str, Any]:
    number = int(BOT_TOKEN.partition(":")[0])
    return {"id": number, "is_bot": True, "first_name": "Demo", "username": "demo_news_bot"}


def _chat(chat: str) -> dict[str, Any]:
    if chat.startswith("@"):
        return {"id": -1001000000001, "type": "channel", "username": chat[1:], "title": chat[1:]}
    kind = "supergroup" if chat.startswith("-") else "private"
    return {"id": int(chat), "type": kind}


def _result(value: object) -> Answer:
    return as_json({"ok": True, "result": value})


def _error(code: int, description: str, **parameters: int) -> Answer:
    body: dict[str, Any] = {"ok": False, "error_code": code, "description": description}
    return as_json(body | ({"parameters": parameters} if parameters else {}), status=code)
