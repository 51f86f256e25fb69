"""E-mail: through the operator's mail server, one e-mail per mailbox."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Final

from clawfeed.domain.channels.channel import ChannelDraft
from clawfeed.domain.editions.delivery import Recovery
from clawfeed.domain.errors import ConfigError, InvalidInputError
from clawfeed.domain.ids import JsonValue
from clawfeed.domain.people.user_names import normal_email
from clawfeed.publish.channel_type import (
    ChannelType,
    Notice,
    OutgoingEdition,
    PublishConfig,
    SendingTools,
)
from clawfeed.publish.mail.mail_settings import mail_settings, read_mailbox
from clawfeed.publish.message import Sender
from clawfeed.rendering.email_edition import EmailBody, edition_email, notice_email

KIND: Final = "email"


def _check(draft: ChannelDraft) -> ChannelDraft:
    return replace(draft, address=normal_email(draft.address), config={})


def _messages(edition: OutgoingEdition, _config: Mapping[str, JsonValue]) -> Sequence[str]:
    return (_payload(edition_email(edition.content, edition.link)),)


def _notice(notice: Notice, _config: Mapping[str, JsonValue]) -> str:
    return _payload(notice_email(notice.title, notice.lines, notice.link, notice.language))


def _payload(body: EmailBody) -> str:
    return json.dumps(asdict(body), ensure_ascii=False)


def _sender(tools: SendingTools) -> Sender:
    from clawfeed.publish.mail.email_sender import EmailSender  # who sends nothing loads no SMTP

    return EmailSender(tools=tools)


def _place(_address: str, _config: Mapping[str, JsonValue]) -> str:
    """All e-mails go through the one server of the house."""
    return KIND


def _missing(config: PublishConfig) -> str:
    try:
        mail_settings(config.smtp_url, config.email_from)
    except ConfigError as error:
        return str(error)
    return ""


def _of_the_house(config: PublishConfig) -> Sequence[ChannelDraft]:
    """Of EMAIL_TO and ALARM_EMAIL_TO: a channel per mailbox, and one for a mailbox in both."""
    readers = _mailboxes("EMAIL_TO", config.email_to)
    alarmed = _mailboxes("ALARM_EMAIL_TO", config.alarm_email_to)
    if not readers and not alarmed:
        return ()
    mail_settings(config.smtp_url, config.email_from)
    return [
        config.house_draft(
            KIND,
            address,
            "E-mail",
            gets_editions=address in readers,
            gets_alarms=address in alarmed,
        )
        for address in dict.fromkeys([*readers, *alarmed])
    ]


def _mailboxes(setting: str, texts: Sequence[str]) -> list[str]:
    try:
        return [read_mailbox(text).email for text in texts]
    except InvalidInputError as error:
        raise ConfigError(f"{setting}: {error}.") from None


TYPE: Final = ChannelType(
    kind=KIND,
    label="E-mail",
    recovery=Recovery.RESEND,
    check=_check,
    messages=_messages,
    notice=_notice,
    sender=_sender,
    place=_place,
    at_once=4,
    of_the_house=_of_the_house,
    missing=_missing,
    is_own_address_only=True,
)
