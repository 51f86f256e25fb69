"""The simulated mail server as another SMTP client sees it, Python's own; and its mailboxes."""

from __future__ import annotations

import asyncio
import smtplib
from email.message import EmailMessage

import pytest

from clawfeed.simulator import Origin, World
from clawfeed.simulator.faults import status
from tests.simulator.raw_client import get


def _letter(number: int = 1) -> EmailMessage:
    letter = EmailMessage()
    letter["From"], letter["To"] = "news@example.com", "anna@example.org"
    letter["Subject"], letter["Message-ID"] = f"Käse <{number}>", f"<{number}@example.com>"
    letter.set_content("one\n.\n..two\n")
    letter.add_alternative("<p>one</p>", subtype="html")
    return letter


def _send(origin: Origin, *letters: EmailMessage) -> None:
    host, port = origin.mail_url.removeprefix("smtp://").split(":")
    with smtplib.SMTP(host, int(port), timeout=10) as client:
        for letter in letters:
            client.send_message(letter)


async def test_a_letter_is_an_effect_and_shown_once(origin: Origin, world: World) -> None:
    await asyncio.to_thread(_send, origin, _letter(1), _letter(2), _letter(1))
    effects = world.effects.as_json()
    listed = (await get(origin, "/mailbox")).unpacked().decode()
    shown = (await get(origin, "/mailbox/1")).unpacked().decode()
    nobodys = await get(origin, "/mailbox/3")

    assert [(each["service"], each["place"], each["key"]) for each in effects] == [
        ("mail", "anna@example.org", "<1@example.com>"),
        ("mail", "anna@example.org", "<2@example.com>"),
        ("mail repeated", "anna@example.org", "<1@example.com>"),
    ]
    assert "\n.\r\n..two\r\n" in effects[0]["content"]
    assert listed.count("<li>") == 2
    assert "Käse &lt;1&gt;" in listed
    assert shown.strip() == "<p>one</p>"
    assert nobodys.status == 404


async def test_a_fault_ordered_for_a_stage_refuses_there(origin: Origin, world: World) -> None:
    world.misbehave("/smtp/rcpt", status(550), 1)

    with pytest.raises(smtplib.SMTPRecipientsRefused):
        await asyncio.to_thread(_send, origin, _letter())
    await asyncio.to_thread(_send, origin, _letter())

    assert len(world.effects.of("mail")) == 1
