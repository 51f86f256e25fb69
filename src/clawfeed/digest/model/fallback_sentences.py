"""The lead's sentences in the place of those a model had no ground for."""

from __future__ import annotations

from collections.abc import Sequence

from clawfeed.digest.model.grounding.tokens import han_of
from clawfeed.domain.editions.digest import Sentence


def mended(
    sentences: Sequence[Sentence | None], lead: Sequence[Sentence]
) -> tuple[Sentence, ...] | None:
    """The sentences with the lead's in the gaps; None if all of them are gaps.

    No sentence of another script than the rest is put between, and none that says the same.
    """
    kept = [each for each in sentences if each is not None]
    if not kept:
        return None
    unused = [each for each in lead if not any(_is_alike(each, other) for other in kept)]
    found: list[Sentence] = []
    for sentence in sentences:
        if sentence is not None:
            found.append(sentence)
        elif unused:
            found.append(unused.pop(0))
    return tuple(found)


def _is_alike(lead: Sentence, other: Sentence) -> bool:
    """Whether a sentence of the lead has no place beside another: foreign, or the same again."""
    if bool(han_of(lead.text)) != bool(han_of(other.text)):
        return True
    one, two = _pieces(lead.text), _pieces(other.text)
    return len(one & two) > 0.5 * min(len(one), len(two))


def _pieces(text: str) -> frozenset[str]:
    folded = "".join(each for each in text.casefold() if each.isalnum())
    return frozenset(folded[at : at + 4] for at in range(len(folded) - 3))
