"""Services that take messages at a secret address, `/hooks/{service}/{token}`, each in its manner.

A token is good unless it begins with `gone`; one that begins with `signed` wants the signature made
with `SIGNING_SECRET`; to a webhook, `WEBHOOK_SECRET`.
"""

from __future__ import annotations

import hmac
import json
from base64 import b64decode, b64encode
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import unquote_plus

from clawfeed.simulator.services.received_messages import READERS, BadMessageError
from clawfeed.simulator.serving.http import Request
from clawfeed.simulator.serving.responses import Answer, as_json, not_found, text
from clawfeed.simulator.side_effects import Effect
from clawfeed.simulator.world import World

PREFIX: Final = "/hooks/"
SIGNING_SECRET: Final = "SECsimulated-signing-secret"  # noqa: S105 -- of a service that is not
WEBHOOK_SECRET: Final = "whsec_" + b64encode(b"a key of a webhook that is not").decode()
NTFY_TOKEN: Final = "tk_simulated"  # noqa: S105
PLAIN: Final = "text/plain; charset=utf-8"


class WebhookServices:
    """All of them. What they carried out stands in the world's effects, by service and token."""

    def __init__(self, world: World) -> None:
        self._world = world

    def answer(self, request: Request) -> Answer:
        service, _, token = request.path.removeprefix(PREFIX).partition("/")
        if request.method != "POST":
            return not_found()
        if service == "webhook":
            return self._webhook(request, token)
        if service not in READERS:
            return not_found()
        body = _object(request.body)
        if service == "ntfy":
            token = str(body.get("topic", ""))
        refused = _refused(service, token, request, body)
        if refused is not None:
            return refused
        try:
            seen = READERS[service](body)
        except (BadMessageError, KeyError, AttributeError, TypeError) as error:
            return _said_no(service, 400, str(error))
        number = self._world.effects.add(
            Effect(service=service, place=token, content=seen.text, key=_key(body))
        )
        return _said_yes(service, number)

    def _webhook(self, request: Request, token: str) -> Answer:
        """A receiver as the specification wants it: checks the signature, does each id once."""
        headers, effects = request.headers, self._world.effects
        number = headers.get("webhook-id", "")
        if token.startswith("gone"):
            return text("gone\n", PLAIN, status=410)
        if token.startswith("signed") and not _is_signed(request):
            return text("bad signature\n", PLAIN, status=401)
        if not number or headers.get("idempotency-key") != number:
            return text("no id\n", PLAIN, status=400)
        if number not in {each.key for each in effects.of("webhook", token)}:
            content = request.body.decode()
            effects.add(Effect(service="webhook", place=token, content=content, key=number))
        return text("", PLAIN, status=202)


def _object(body: bytes) -> Mapping[str, Any]:
    try:
        found = json.loads(body)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _key(body: Mapping[str, Any]) -> str:
    return str(body.get("sequence_id", ""))


def _refused(service: str, token: str, request: Request, body: Mapping[str, Any]) -> Answer | None:
    if token.startswith("gone") or not token:
        return _said_no(service, 404, _GONE[service])
    if service == "ntfy" and token.startswith("signed"):
        allowed = request.headers.get("authorization") == f"Bearer {NTFY_TOKEN}"
        return None if allowed else _said_no(service, 403, "40301")
    if token.startswith("signed") and not _has_sign(service, request, body):
        return _said_no(service, 200, _UNSIGNED[service])
    if service == "discord" and request.parameter("wait") != "true":
        return text("", PLAIN, status=204)  # and nobody learns what became of it
    if len(request.body) > _LARGEST.get(service, 1_000_000):
        return _said_no(service, 400, "400105")
    return None


_LARGEST: Final = {"feishu": 20_480, "dingtalk": 20_000}
_GONE: Final = {
    "slack": "no_service", "discord": "10015", "feishu": "19001", "dingtalk": "300005",
    "wecom": "93000", "ntfy": "40401", "apprise": "gone",
}  # fmt: skip
_UNSIGNED: Final = {"feishu": "19021", "dingtalk": "310000"}


def _has_sign(service: str, request: Request, body: Mapping[str, Any]) -> bool:
    secret = SIGNING_SECRET
    if service == "feishu":
        moment, sign = str(body.get("timestamp")), body.get("sign")
        expected = hmac.digest(f"{moment}\n{secret}".encode(), b"", "sha256")
        return sign == b64encode(expected).decode()
    if service == "dingtalk":
        query = dict(pair.partition("=")[::2] for pair in request.query.split("&"))
        moment, sign = query.get("timestamp", ""), unquote_plus(query.get("sign", ""))
        expected = hmac.digest(secret.encode(), f"{moment}\n{secret}".encode(), "sha256")
        return len(moment) == 13 and sign == b64encode(expected).decode()
    return True


def _is_signed(request: Request) -> bool:
    headers = request.headers
    signed = f"{headers.get('webhook-id')}.{headers.get('webhook-timestamp')}.".encode()
    key = b64decode(WEBHOOK_SECRET.removeprefix("whsec_"))
    expected = b64encode(hmac.digest(key, signed + request.body, "sha256")).decode()
    return f"v1,{expected}" in headers.get("webhook-signature", "").split()


def _said_no(service: str, status: int, why: str) -> Answer:
    if service == "slack":
        return text(why, PLAIN, status=status)
    code = int(why) if why.lstrip("-").isdecimal() else 400
    if service == "feishu":
        return as_json({"code": code, "msg": "no", "data": {}})
    if service in ("dingtalk", "wecom"):
        return as_json({"errcode": code, "errmsg": "no"})
    return as_json({"code": code, "message": "no"}, status=status)


def _said_yes(service: str, number: int) -> Answer:
    match service:
        case "slack":
            return text("ok", PLAIN)
        case "feishu":
            return as_json(
                {"StatusCode": 0, "StatusMessage": "success", "code": 0, "msg": "success"}
            )
        case "dingtalk" | "wecom":
            return as_json({"errcode": 0, "errmsg": "ok"})
    return as_json({"id": str(number)})
