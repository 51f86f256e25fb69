"""Many phrases are found in one walk through a text."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from clawfeed.digest.selection.phrase_search import PhraseSearch

FEW_LETTERS = st.text(alphabet="ab", max_size=5)


@given(phrases=st.lists(FEW_LETTERS, max_size=8), text=st.text(alphabet="abc", max_size=30))
def test_what_stands_in_a_text_is_found_and_nothing_else(phrases: list[str], text: str) -> None:
    found = PhraseSearch({phrase: phrase for phrase in phrases}).found_in(text)

    assert found == {phrase for phrase in phrases if phrase and phrase in text}


class Counted(str):
    """A word that counts how often somebody looks it up."""

    __slots__ = ()
    looked_up = 0

    def __hash__(self) -> int:
        Counted.looked_up += 1
        return super().__hash__()


def test_a_text_is_walked_once_however_many_phrases_are_alike() -> None:
    """(T26): words and sources of one hostile reader, made for each other."""
    alike = {f"{n} {end}": ["a"] * n + [end] for n in range(100) for end in ("b", "c", "d", "a")}
    search = PhraseSearch(alike)
    text = [Counted(each) for each in (["a"] * 99 + ["x"]) * 20]
    Counted.looked_up = 0

    found = search.found_in(text)

    assert found == {f"{n} a" for n in range(99)}
    assert Counted.looked_up <= 5 * len(text)
