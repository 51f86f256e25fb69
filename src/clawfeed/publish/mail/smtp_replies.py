"""What a mail server answers, and what becomes of an e-mail that it does not take."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import Final

from clawfeed.domain.errors import Reason
from clawfeed.publish.message import RetryVerdict, SendError
from clawfeed.rendering.safe_text import one_line

# Greylisting servers take a second attempt after one to five minutes.
GREYLISTING_WAIT: Final = timedelta(minutes=5)
# What only the operator can mend is tried this often: soon enough after it was mended.
OPERATORS_TURN: Final = timedelta(minutes=30)
_LONGEST_QUOTE: Final = 200
_ENHANCED: Final = re.compile(r"([245]\.\d{1,3}\.\d{1,3})(?:\s|$)")
# RFC 3463: nobody lives there (1.1), no such domain (1.2, 1.10), no such address (1.3), moved away
# (1.6), closed (2.1).
_NOBODY_THERE: Final = frozenset({"5.1.1", "5.1.2", "5.1.3", "5.1.6", "5.1.10", "5.2.1"})


class SmtpStage(StrEnum):
    """Where in the conversation; in words for people."""

    GREETING = "the greeting"
    HELLO = "EHLO"
    STARTTLS = "STARTTLS"
    LOGIN = "the login"
    SENDER = "the sender"
    RECIPIENT = "the recipient"
    DATA = "DATA"
    CONTENT = "the message"


# Before an e-mail's own turn nothing depends on it: what is wrong there is wrong for all.
_OF_THE_HOUSE: Final = frozenset(
    {SmtpStage.GREETING, SmtpStage.HELLO, SmtpStage.STARTTLS, SmtpStage.LOGIN, SmtpStage.SENDER}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """A whole answer; *enhanced* is its code by RFC 3463 (`5.1.1`), empty if it gives none."""

    code: int
    lines: tuple[str, ...]

    @property
    def enhanced(self) -> str:
        found = _ENHANCED.match(self.lines[-1])
        return found[1] if found else ""

    @property
    def is_good(self) -> bool:
        return 200 <= self.code < 400

    @property
    def quoted(self) -> str:
        """What it says, as a part of our own sentence."""
        return one_line(f"{self.code} {' '.join(self.lines)}")[:_LONGEST_QUOTE]


def refusal(stage: SmtpStage, reply: Reply) -> SendError:
    """What a refusal means. The server has said so: the e-mail has not arrived."""
    if stage in _OF_THE_HOUSE and reply.code >= 500:
        return trouble_of_the_house(_house_sentence(stage, reply), status=reply.code)
    if reply.code < 500:
        return _later(stage, reply)
    detail = f"The mail server refused {stage}: {reply.quoted}."
    if stage is SmtpStage.RECIPIENT and reply.enhanced in _NOBODY_THERE:
        return SendError(Reason.GONE, detail, verdict=RetryVerdict.PAUSE, status=reply.code)
    return SendError(Reason.REFUSED, detail, verdict=RetryVerdict.GIVE_UP, status=reply.code)


def trouble_of_the_house(sentence: str, *, status: int | None = None) -> SendError:
    """What only the operator can mend: no reader's channel is paused for it, and all wait."""
    return SendError(
        Reason.MISCONFIGURED,
        sentence,
        status=status,
        wait=OPERATORS_TURN,
        is_place_resting=True,
    )


def _house_sentence(stage: SmtpStage, reply: Reply) -> str:
    if stage is SmtpStage.LOGIN:  # its answer may name the operator's account
        return "The mail server does not accept our login; the operator must mend SMTP_URL."
    return f"The mail server refused {stage}: {reply.quoted}; the operator must look at it."


def _later(stage: SmtpStage, reply: Reply) -> SendError:
    return SendError(
        Reason.BUSY,
        f"The mail server put off {stage}: {reply.quoted}.",
        status=reply.code,
        wait=GREYLISTING_WAIT,
        # A greylist is about one recipient; 421 and what comes before the e-mail is about us.
        is_place_resting=stage in _OF_THE_HOUSE or reply.code == 421,
    )
