"""Alarms as messages: in the words of a channel's language, in the form of its kind."""

from __future__ import annotations

import logging
from dataclasses import dataclass

from clawfeed.domain.alarm import NoticeKind, Trouble
from clawfeed.domain.channels.channel import Channel
from clawfeed.domain.wording.alarm_wording import alarm_words, recovery_words
from clawfeed.domain.wording.because_wording import Language
from clawfeed.publish.channel_type import ChannelTypes, Notice
from clawfeed.storage.operations.alarms import NoticeText

log = logging.getLogger(__name__)

_LANGUAGES = frozenset(Language)


def notice_of(kind: NoticeKind, trouble: Trouble, *, language: str, link: str) -> Notice:
    """The short word about *trouble*; in English where we do not write the *language*."""
    spoken = Language(language) if language in _LANGUAGES else Language.ENGLISH
    words = (alarm_words if kind is NoticeKind.RAISED else recovery_words)(trouble, spoken)
    lines = tuple(line for line in (words.text, words.way_out) if line)
    return Notice(title=words.title, lines=lines, link=link, language=spoken)


@dataclass(frozen=True, slots=True, kw_only=True)
class NoticeWriter:
    """Writes for every kind of channel there is. *link* leads to the house."""

    types: ChannelTypes
    link: str

    def __call__(self, channel: Channel, kind: NoticeKind, trouble: Trouble) -> NoticeText | None:
        """None if nobody here knows its kind. No single channel may silence the others."""
        if channel.kind not in self.types:
            return None
        form = self.types[channel.kind]
        notice = notice_of(kind, trouble, language=channel.language, link=self.link)
        try:
            return NoticeText(
                payload=form.notice(notice, channel.config),
                place=form.place_of(channel),
            )
        except Exception:
            about = {"channel": channel.id, "kind": channel.kind, "code": trouble.code}
            log.exception("alarm could not be put into the form of a channel", extra=about)
            return None
