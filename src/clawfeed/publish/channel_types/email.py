"""E-mail: through the operator's mail server, one letter per mailbox."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Final

from clawfeed.domain.channel import ChannelDraft, ChannelTiming
from clawfeed.domain.delivery import Recovery
from clawfeed.domain.edition_period import EditionType
from clawfeed.domain.errors import ConfigError, InvalidInputError, Reason
from clawfeed.domain.ids import JsonValue
from clawfeed.domain.user_names import normal_email
from clawfeed.publish.channel_type import (
    ChannelType,
    Notice,
    OutgoingEdition,
    PublishConfig,
    SendingTools,
)
from clawfeed.publish.letter import Correspondent, Letter, letter_bytes, read_mailbox, read_sender
from clawfeed.publish.mail_server import Relay, read_smtp_url
from clawfeed.publish.message import Message, Receipt, SendError, Target, Verdict
from clawfeed.publish.smtp import Envelope, send_letter
from clawfeed.publish.smtp_replies import trouble_of_the_house
from clawfeed.rendering.email_edition import EmailBody, edition_email, notice_email

log = logging.getLogger(__name__)

KIND: Final = "email"
_NOT_SET_UP: Final = "E-mail is not set up: the operator must set SMTP_URL and EMAIL_FROM."


@dataclass(frozen=True, slots=True, kw_only=True)
class EmailSender:
    """Writes letters. What the operator must mend is told in the log, too: no reader can."""

    tools: SendingTools

    async def send(self, target: Target, message: Message) -> Receipt:
        try:
            relay, sender = _settings(self.tools.config)
            letter = self._letter(sender, target, message)
            envelope = Envelope(
                sender=sender.email, recipient=letter.to, content=letter_bytes(letter)
            )
            await send_letter(self.tools.egress, relay, envelope)
        except ConfigError as error:
            raise _told(trouble_of_the_house(str(error))) from None
        except SendError as error:
            raise _told(error) from None
        return Receipt(remote_id=letter.message_id)

    def _letter(self, sender: Correspondent, target: Target, message: Message) -> Letter:
        """Dated when it leaves, since filters take a date of hours ago for a sign of spam.

        An edition may have waited for its reader's morning. Its Message-ID stays.
        """
        try:
            to = normal_email(target.address)
        except InvalidInputError as error:
            raise SendError(
                Reason.MISCONFIGURED, f"{error}.".capitalize(), verdict=Verdict.PAUSE
            ) from None
        return Letter(
            sender=sender,
            to=to,
            body=EmailBody(**json.loads(message.payload)),
            key=message.idempotency_key,
            at=self.tools.clock().replace(microsecond=0),
            unsubscribe=self.tools.unsubscribe_link(target.channel_id),
        )


def _told(error: SendError) -> SendError:
    if error.is_place_resting and error.reason is Reason.MISCONFIGURED:
        log.error("no e-mail leaves", extra={"why": error.detail})
    return error


def _settings(config: PublishConfig) -> tuple[Relay, Correspondent]:
    """`ConfigError` in one sentence if letters cannot be written with what the operator set."""
    if config.smtp_url is None or config.email_from is None:
        raise ConfigError(_NOT_SET_UP)
    return read_smtp_url(config.smtp_url), read_sender(config.email_from)


def _check(draft: ChannelDraft) -> ChannelDraft:
    return replace(draft, address=normal_email(draft.address), config={})


def _messages(edition: OutgoingEdition, _config: Mapping[str, JsonValue]) -> Sequence[str]:
    return (_payload(edition_email(edition.content, edition.link)),)


def _notice(notice: Notice, _config: Mapping[str, JsonValue]) -> str:
    return _payload(notice_email(notice.title, notice.lines, notice.link, notice.language))


def _payload(body: EmailBody) -> str:
    return json.dumps(asdict(body), ensure_ascii=False)


def _place(_address: str, _config: Mapping[str, JsonValue]) -> str:
    """All letters go through the one server of the house."""
    return KIND


def _missing(config: PublishConfig) -> str:
    try:
        _settings(config)
    except ConfigError as error:
        return str(error)
    return ""


def _of_the_house(config: PublishConfig) -> Sequence[ChannelDraft]:
    """Of EMAIL_TO and ALARM_EMAIL_TO: a channel per mailbox, and one for a mailbox in both."""
    readers = _mailboxes("EMAIL_TO", config.email_to)
    alarmed = _mailboxes("ALARM_EMAIL_TO", config.alarm_email_to)
    if not readers and not alarmed:
        return ()
    _settings(config)
    return [
        ChannelDraft(
            kind=KIND,
            address=address,
            name="E-mail",
            edition_types=_types(config) if address in readers else (),
            timing=ChannelTiming(zone=config.zone),
            language=config.language,
            gets_alarms=address in alarmed,
        )
        for address in dict.fromkeys([*readers, *alarmed])
    ]


def _types(config: PublishConfig) -> tuple[EditionType, ...]:
    return tuple(map(EditionType, config.edition_types))


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
    sender=lambda tools: EmailSender(tools=tools),
    place=_place,
    at_once=4,
    of_the_house=_of_the_house,
    missing=_missing,
    is_own_address_only=True,
)
