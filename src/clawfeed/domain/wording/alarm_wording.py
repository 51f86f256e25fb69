"""An alarm in the words of the person who reads it: one set of sentences for each language."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from clawfeed.domain.alarm import AlarmCode, Trouble
from clawfeed.domain.ids import JsonValue
from clawfeed.domain.wording.alarm_sentences import CHINESE, ENGLISH, AlarmSentences
from clawfeed.domain.wording.because_wording import Language

# A name that a stranger gave is cut here: the sentence around it matters more.
LONGEST_NAME = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class AlarmWords:
    """*title* is one line of our own words; *text* says what is wrong; *way_out* what to do.

    *kind* is the title without whose words they are: it names nobody's things.
    """

    title: str
    kind: str
    text: str
    way_out: str = ""

    @property
    def sentence(self) -> str:
        """What is wrong and what to do, in one line."""
        return f"{self.text}: {self.way_out}" if self.way_out else self.text


def alarm_words(trouble: Trouble, language: Language = Language.ENGLISH) -> AlarmWords:
    """What rings."""
    words, spelling = _LANGUAGES[language]
    of_code = words[trouble.code]
    shown = spelling.shown(trouble)
    text = of_code.many if "count" in trouble.parameters and of_code.many else of_code.text
    return AlarmWords(
        title=f"{spelling.alarm}{of_code.title}",
        kind=of_code.title,
        text=text.format_map(shown),
        way_out=of_code.way_out.format_map(shown),
    )


def recovery_words(trouble: Trouble, language: Language = Language.ENGLISH) -> AlarmWords:
    """What is told when it is over."""
    words, spelling = _LANGUAGES[language]
    of_code = words[trouble.code]
    is_many = "count" in trouble.parameters and of_code.many_over
    text = of_code.many_over if is_many else of_code.over
    return AlarmWords(
        title=f"{spelling.over}{of_code.title}",
        kind=of_code.title,
        text=text.format_map(spelling.shown(trouble)),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Spelling:
    """How a language puts names, lists and parameters."""

    alarm: str
    over: str
    comma: str
    more: Callable[[int], str]
    edition: Callable[[Mapping[str, JsonValue]], str]
    never: str

    def shown(self, trouble: Trouble) -> Mapping[str, object]:
        """The parameters as they stand in a sentence. One that is missing is a question mark."""
        parameters = trouble.parameters
        names = [self._name(trouble.code, each) for each in trouble.some]
        count = parameters.get("count")
        left = count - len(names) if isinstance(count, int) else 0
        listed = self.comma.join(names) + (self.more(left) if left > 0 else "")
        since = _moment(parameters.get("since")) or self.never
        return _Shown({**parameters, "what": listed, "since": since})

    def _name(self, code: AlarmCode, of: Mapping[str, JsonValue]) -> str:
        if code in (AlarmCode.EDITION_UNFINISHED, AlarmCode.EDITION_MISSING):
            return self.edition(of)
        if code is AlarmCode.CHANNEL_FAILED:
            return f"{of.get('channel')} ({of.get('kind')})"
        # A private source is known to admins by its number alone.
        name, number = " ".join(str(of.get("name") or "").split()), of.get("source")
        return f"{name[:LONGEST_NAME]} ({number})" if name else str(number)


class _Shown(dict[str, Any]):
    def __missing__(self, _key: str) -> str:
        return "?"  # a row of another version


def _moment(iso: JsonValue) -> str:
    if not isinstance(iso, str):
        return ""
    try:
        return f"{datetime.fromisoformat(iso):%Y-%m-%d %H:%M} UTC"
    except ValueError:
        return ""


def _edition(of: Mapping[str, JsonValue]) -> str:
    whose = "" if of.get("scope") == "system" else " of a reader"
    return f"the {of.get('type')} edition {of.get('period')}{whose}"


def _edition_zh(of: Mapping[str, JsonValue]) -> str:
    whose = "" if of.get("scope") == "system" else "读者的"
    return f"{whose} {of.get('type')} {of.get('period')} 一期".strip()


_LANGUAGES: Mapping[Language, tuple[Mapping[AlarmCode, AlarmSentences], _Spelling]] = {
    Language.ENGLISH: (
        ENGLISH,
        _Spelling(
            alarm="ClawFeed: ",
            over="ClawFeed, over: ",
            comma=", ",
            more=lambda left: f" and {left} more",
            edition=_edition,
            never="never",
        ),
    ),
    Language.CHINESE: (
        CHINESE,
        _Spelling(
            alarm="ClawFeed：",
            over="ClawFeed，已恢复：",
            comma="、",
            more=lambda left: f"，另有 {left} 个",
            edition=_edition_zh,
            never="从未",
        ),
    ),
}
