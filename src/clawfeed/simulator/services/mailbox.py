"""The simulated mailboxes as pages, for who wants to see what arrived."""

from __future__ import annotations

from email import message_from_string
from email.message import EmailMessage
from email.policy import default
from html import escape

from clawfeed.simulator.formats import HTML_TYPE
from clawfeed.simulator.services.mail_server import SERVICE
from clawfeed.simulator.serving.http import Request
from clawfeed.simulator.serving.responses import Answer, not_found, text
from clawfeed.simulator.side_effects import Effect
from clawfeed.simulator.world import World

PREFIX = "/mailbox"


class Mailbox:
    """`/mailbox` lists all e-mails, newest first; `/mailbox/N` shows the Nth that came."""

    def __init__(self, world: World) -> None:
        self._world = world

    def answer(self, request: Request) -> Answer:
        emails = self._world.effects.of(SERVICE)
        number = request.path.removeprefix(PREFIX).removeprefix("/")
        if not number:
            return text(_listed(emails), HTML_TYPE)
        if not (number.isdecimal() and 1 <= int(number) <= len(emails)):
            return not_found()
        body = _read(emails[int(number) - 1]).get_body(("html", "plain"))
        return not_found() if body is None else text(body.get_content(), HTML_TYPE)


def _listed(emails: list[Effect]) -> str:
    lines = [
        f'<li><a href="{PREFIX}/{number}">{escape(str(_read(each)["Subject"]))}</a> '
        f"to {escape(each.place)}</li>"
        for number, each in reversed(list(enumerate(emails, 1)))
    ]
    head = "<!doctype html><meta charset=utf-8><title>Mailbox</title><h1>Mailbox</h1>"
    return f"{head}<ol reversed>{''.join(lines)}</ol>\n"


def _read(email: Effect) -> EmailMessage:
    return message_from_string(email.content, policy=default)
