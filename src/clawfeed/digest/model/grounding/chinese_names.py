"""Names in Chinese sentences: what is neither in the sources nor a word of any report."""

from __future__ import annotations

import re
from collections.abc import Iterable

from clawfeed.digest.model.grounding.source_evidence import SourceEvidence
from clawfeed.digest.model.grounding.tokens import han_of
from clawfeed.digest.model.grounding.word_lists import (
    BILINGUAL_NAMES,
    FOREIGN_SOUNDS,
    HAN_COMMON,
    ORGANISATION_ENDINGS,
    POSTS,
    SPEECH_VERBS,
    SURNAMES,
)

# So much of a sentence must be the sources' own words, and so little may be nobody's.
LEAST_COVERED = 0.4
MOST_UNKNOWN = 0.3
LONGEST_COMMON = 4
# Two unknown characters may be a word we do not list, but not where a name would stand; three in
# a row are a name or a claim.
LONGEST_UNKNOWN = 2
SHORTEST_SOUNDED = 3
# After these, and at the beginning of a clause, stands who or where.
BEFORE_NAMES = frozenset({"", *"在于赴到从自与和及由被对向让请是叫为给跟同"})

_SURNAME = "[" + "".join(sorted(SURNAMES)) + "]"
_HAN = "[\u4e00-\u9fff]"
_SPEAKER = re.compile(f"({_SURNAME}{_HAN}{{1,2}})(?={SPEECH_VERBS})")
_POSTED = re.compile(f"(?:{POSTS})({_SURNAME}{_HAN}{{1,2}})")
_NAMED = re.compile(f"({_HAN}{{2,4}})(?={ORGANISATION_ENDINGS})")
_KATAKANA = re.compile("[\u30a1-\u30fa\u30fc]{3,}")


def unknown_in_chinese(sentence: str, base: SourceEvidence) -> list[str]:
    """What a sentence about Chinese sources has that they do not."""
    runs = [run for run in han_of(sentence) if re.search(_HAN, run)]
    if not runs:
        return []
    marks = [(run, _marks(run, base)) for run in runs]
    unknown = [piece for run, marked in marks for piece, _ in _unknown(run, marked)]
    total = sum(map(len, runs))
    covered = sum(marked.count("s") for _, marked in marks)
    if covered < LEAST_COVERED * total or sum(map(len, unknown)) > MOST_UNKNOWN * total:
        return unknown or [sentence]
    found = [
        piece
        for run, marked in marks
        for piece, before in _unknown(run, marked)
        if len(piece) > LONGEST_UNKNOWN
        or (len(piece) == LONGEST_UNKNOWN and (piece[0] in SURNAMES or before in BEFORE_NAMES))
    ]
    found += [name for name in _people(sentence) if not _is_said(name, base)]
    found += [name for name in _organisations(sentence, unknown) if not _is_said(name, base)]
    found += [run for run in _KATAKANA.findall(sentence) if run.casefold() not in base.text]
    return found


def unknown_in_translation(sentence: str, base: SourceEvidence) -> tuple[list[str], int]:
    """The same for sources in another script; and how many names are anchored in them.

    Names that are written by sound cannot be held against the sources: they are unknown.
    """
    known = [name for name in BILINGUAL_NAMES if name in sentence]
    anchored = [name for name in known if _is_told(name, base)]
    found = [name for name in known if name not in anchored and not _is_within(name, anchored)]
    rest = sentence
    for name in sorted(known, key=len, reverse=True):
        rest = rest.replace(name, "，")
    found += _people(rest)
    found += _sounded(rest)
    return found, len(anchored)


def english_names(base: SourceEvidence) -> frozenset[str]:
    """The English words for what Chinese sources name."""
    return frozenset(
        part
        for name, forms in BILINGUAL_NAMES.items()
        if name in base.text
        for form in forms
        for part in form.split()
    )


def _marks(run: str, base: SourceEvidence) -> str:
    """For each character: `s` it stands so in the sources, `c` it is a common word, `?` neither."""
    marks = ["?"] * len(run)
    for at in range(len(run)):
        for length in range(min(LONGEST_COMMON, len(run) - at), 0, -1):
            if run[at : at + length] in HAN_COMMON:
                marks[at : at + length] = ["c"] * length
                break
    for at in range(len(run) - 1):
        if run[at : at + 2] in base.bigrams:
            marks[at : at + 2] = ["s", "s"]
    return "".join(marks)


def _unknown(run: str, marks: str) -> Iterable[tuple[str, str]]:
    """The unknown pieces of a run, each with the character before it; "" begins a clause."""
    return (
        (run[found.start() : found.end()], run[max(0, found.start() - 1) : found.start()])
        for found in re.finditer(r"\?+", marks)
    )


def _people(sentence: str) -> list[str]:
    names = [*_SPEAKER.findall(sentence), *_POSTED.findall(sentence)]
    return [name for name in names if name not in HAN_COMMON and name[:2] not in HAN_COMMON]


def _organisations(sentence: str, unknown: Iterable[str]) -> list[str]:
    """Named things of which a part is unknown."""
    parts = tuple(unknown)
    return [name for name in _NAMED.findall(sentence) if any(part in name for part in parts)]


def _is_said(name: str, base: SourceEvidence) -> bool:
    # The pattern may take the verb's first character along: "张伟也表示".
    return any(name[:length] in base.text for length in range(2, len(name) + 1))


def _is_told(name: str, base: SourceEvidence) -> bool:
    return any(base.has_phrase(form) or form in base.words for form in BILINGUAL_NAMES[name])


def _is_within(name: str, others: Iterable[str]) -> bool:
    return any(name != other and name in other for other in others)


def _sounded(text: str) -> list[str]:
    """Runs of characters that foreign names are written with; a Latin name beside it proves it."""
    found, run = [], ""
    for each in f"{text}，":
        if each in FOREIGN_SOUNDS:
            run += each
            continue
        if len(run) >= SHORTEST_SOUNDED and each not in "（(":
            found.append(run)
        run = ""
    return found
