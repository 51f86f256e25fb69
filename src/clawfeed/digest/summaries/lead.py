"""Which sentences of one source's text are its lead."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from clawfeed.digest.summaries.boilerplate import clean_sentences
from clawfeed.digest.summaries.length import length_in_words
from clawfeed.digest.summaries.sentences import is_whole
from clawfeed.digest.summaries.word_overlap import bag_of, share_in

# Two sentences of 40 to 60 words; two that are very short leave room for a third.
MOST_SENTENCES: Final = 2
SHORT_LEAD: Final = 22.0
MOST_WORDS: Final = 60.0
# One sentence may be longer, if it is the first: newspapers put everything into it.
LONGEST_SENTENCE: Final = 70.0
SHORTEST_SENTENCE: Final = 3.0
# A sentence with this share of the headline's words and next to no others says it again.
_SAME_SHARE: Final = 0.85
_LONGEST_PHRASE: Final = 30.0
_LETTERS_SHARE: Final = 0.65
_CODE = re.compile(r"[{}<>=\\|$`]|::|->|\w\(\)|--\w")
_MARKDOWN = re.compile(r"\*\*|__|`|(?<!\w)\*(?=\w)|(?<=\w)\*(?!\w)")
_CLAUSE = re.compile(r"[,;:–—](?=\s)|\s[-–—](?=\s)|[，；：]")
_BULLET = re.compile(r"\A(?:[-*•·–>]\s+|[0-9]{1,2}[.)]\s+)")


def telling_sentences(text: str, headline: str) -> list[str]:
    """The sentences of *text* that can be read out: no code, no list, no fragment, no repetition.

    Fragments are taken where there is nothing else.
    """
    found = [_tidy(sentence) for sentence in clean_sentences(text, headline)]
    found = [each for each in found if _is_prose(each) and not _repeats(each, headline)]
    whole = [each for each in found if is_whole(each)]
    if whole:
        return whole
    return [each for each in found if length_in_words(each) >= SHORTEST_SENTENCE + 1][:1]


def choose_lead(sentences: Sequence[str]) -> list[str]:
    """The first of *sentences*, as many as a lead has."""
    chosen: list[str] = []
    words = 0.0
    for sentence in sentences:
        length = length_in_words(sentence)
        if not chosen and length > LONGEST_SENTENCE:
            return [cut_at_clause(sentence, MOST_WORDS)]
        if chosen and (words + length > MOST_WORDS or words >= MOST_WORDS * 2 / 3):
            break
        if len(chosen) >= MOST_SENTENCES and words >= SHORT_LEAD:
            break
        if len(chosen) > MOST_SENTENCES:
            break
        chosen.append(sentence)
        words += length
    return chosen


def cut_at_clause(sentence: str, most_words: float) -> str:
    """As much of a long sentence as fits, to the end of a clause if it has any, and "…"."""
    end = 0
    for found in _CLAUSE.finditer(sentence):
        if length_in_words(sentence[: found.start()]) > most_words:
            break
        end = found.start()
    head = sentence[:end] if end else _first_words(sentence, most_words)
    return head.rstrip(" ,;:，；：–—-") + "…"


def finished(sentence: str) -> str:
    """A sentence as it stands alone: what was cut shows, and a semicolon ends nothing."""
    if sentence.endswith("；"):
        return sentence[:-1] + "。"
    if sentence.endswith(".."):
        return sentence.rstrip(". ") + "…"
    is_done = is_whole(sentence) or sentence.endswith("…")
    # A short one without a full stop is how some write their summaries.
    if is_done or length_in_words(sentence) <= _LONGEST_PHRASE:
        return sentence
    return sentence.rstrip(" ,;:，、(（") + "…"


def _first_words(sentence: str, most_words: float) -> str:
    cut = int(most_words * 2)
    if " " not in sentence[:200]:
        return sentence[:cut]
    return " ".join(sentence[: 40 * cut].split()[: int(most_words)])


def _tidy(sentence: str) -> str:
    return _MARKDOWN.sub("", _BULLET.sub("", sentence)).strip()


def _is_prose(sentence: str) -> bool:
    if length_in_words(sentence) < SHORTEST_SENTENCE:
        return False
    bare = sentence.replace(" ", "")
    letters = sum(map(str.isalnum, bare))
    return letters >= _LETTERS_SHARE * len(bare) and len(_CODE.findall(sentence)) < 3


def _repeats(sentence: str, headline: str) -> bool:
    words = bag_of(sentence)
    return bool(words) and share_in(words, bag_of(headline)) >= _SAME_SHARE
