"""Which language a text is in, as far as its script and its commonest words tell."""

from __future__ import annotations

import re
from collections import Counter
from typing import Final

# A lead is enough; what follows is in the same language or is not read.
_LOOKED_AT: Final = 1_000
# Of the letters. An English text may quote a Chinese name, a Chinese one many English names: one
# Chinese character stands for as much as two or three Latin letters.
_SHARE: Final = 0.2
_SCRIPTS: Final = (
    ("ko", re.compile("[\uac00-\ud7af]")),
    ("ja", re.compile("[\u3041-\u30fa\u30fc-\u30ff]")),
    ("zh", re.compile("[\u3400-\u4dbf\u4e00-\u9fff]")),
    ("ru", re.compile("[\u0400-\u04ff]")),
    ("ar", re.compile("[\u0600-\u06ff]")),
    ("he", re.compile("[\u0590-\u05ff]")),
    ("el", re.compile("[\u0370-\u03ff]")),
    ("hi", re.compile("[\u0900-\u097f]")),
    ("th", re.compile("[\u0e00-\u0e7f]")),
)
_WORD = re.compile(r"[^\W\d_]+")
# Words that one language uses in every other sentence, and its neighbours seldom.
_COMMON: Final = {
    "en": "the of and to is that for with was on are by his this from have has it its says after "
    "in a an as at who they will not be but or their",
    "de": "der die und das nicht ist ein eine mit den dem für auf von wird sich auch werden im",
    "fr": "le la les des et une est du dans pour qui sur par au pas plus avec sont ce cette aux",
    "es": "el los las y una del que por con para se su al más como pero sus está este ha",
    "it": "il di che e un una per non con sono del della nel più è gli le dei alla ha",
    "pt": "o os as e um uma do da não com para por em dos das no na mais que ao foi",
    "nl": "de het een van en op dat niet met voor zijn aan door ook er naar bij uit wordt",
    "pl": "nie się na że do jest po jak o za od dla to w z i co przez oraz były",
    "sv": "och att det som en på är av för med till den har inte om ett men",
}
_FEW_WORDS: Final = 3
_LANGUAGES_OF: Final[dict[str, tuple[str, ...]]] = {}
for _language, _words in _COMMON.items():
    for _word in _words.split():
        _LANGUAGES_OF[_word] = (*_LANGUAGES_OF.get(_word, ()), _language)


def guess_language(text: str) -> str:
    """The language of *text* as its two letters, "" if it cannot be told."""
    looked_at = text[:_LOOKED_AT]
    letters = sum(map(str.isalpha, looked_at))
    if not letters:
        return ""
    counts = {language: len(script.findall(looked_at)) for language, script in _SCRIPTS}
    # Kana and Hangul stand beside Chinese characters, never the other way round.
    for language, _ in _SCRIPTS:
        if counts[language] >= max(1, letters * (_SHARE / 2 if language == "ja" else _SHARE)):
            return language
    return _by_words(looked_at)


def is_written_in(text: str, language: str) -> bool:
    """Whether a reader of *language* can read *text*; one that cannot be told is given a chance.

    Not if it is in Latin letters, and the reader's language is not: "GPT-5.5" anybody can read.
    """
    guess, primary = guess_language(text), language.partition("-")[0].lower()
    if guess:
        return guess == primary
    return primary in _COMMON or len(_WORD.findall(text[:_LOOKED_AT])) <= _FEW_WORDS


def _by_words(text: str) -> str:
    found: Counter[str] = Counter()
    for word in _WORD.findall(text.lower()):
        found.update(_LANGUAGES_OF.get(word, ()))
    ranked = found.most_common(2)
    if not ranked or (len(ranked) == 2 and ranked[0][1] == ranked[1][1]):
        return ""
    return ranked[0][0]
