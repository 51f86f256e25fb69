"""Writes e-mails and hands them to the mail server."""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass

from clawfeed.domain.errors import ConfigError, InvalidInputError, Reason
from clawfeed.domain.people.user_names import normal_email
from clawfeed.publish.channel_type import SendingTools
from clawfeed.publish.mail.mail_settings import MailAddress, mail_settings
from clawfeed.publish.mail.mime_message import OutgoingEmail, email_bytes
from clawfeed.publish.mail.smtp import Envelope, send_email
from clawfeed.publish.mail.smtp_replies import trouble_of_the_house
from clawfeed.publish.message import Message, Receipt, RetryVerdict, SendError, Target
from clawfeed.rendering.email_edition import EmailBody

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class EmailSender:
    """Writes e-mails. What the operator must mend is told in the log, too: no reader can."""

    tools: SendingTools

    async def send(self, target: Target, message: Message) -> Receipt:
        config = self.tools.config
        try:
            relay, sender = mail_settings(config.smtp_url, config.email_from)
            email = self._email(sender, target, message)
            envelope = Envelope(sender=sender.email, recipient=email.to, content=email_bytes(email))
            await send_email(self.tools.egress, relay, envelope)
        except ConfigError as error:
            raise _told(trouble_of_the_house(str(error))) from None
        except SendError as error:
            raise _told(error) from None
        return Receipt(remote_id=email.message_id)

    def _email(self, sender: MailAddress, target: Target, message: Message) -> OutgoingEmail:
        """Dated when it leaves, since filters take a date of hours ago for a sign of spam.

        An edition may have waited for its reader's morning. Its Message-ID stays.
        """
        try:
            to = normal_email(target.address)
        except InvalidInputError as error:
            raise SendError(
                Reason.MISCONFIGURED, f"{error}.".capitalize(), verdict=RetryVerdict.PAUSE
            ) from None
        return OutgoingEmail(
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
