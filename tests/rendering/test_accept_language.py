"""Which language a caller reads."""

from __future__ import annotations

import pytest

from clawfeed.domain.wording.because_wording import Language
from clawfeed.rendering.accept_language import choose_language


@pytest.mark.parametrize(
    ("accepted", "language"),
    [
        ("", Language.ENGLISH),
        ("*", Language.ENGLISH),
        ("zh", Language.CHINESE),
        ("zh-Hans-CN", Language.CHINESE),
        ("zh-CN,zh;q=0.9,en;q=0.8", Language.CHINESE),
        ("en;q=0.8, zh;q=0.9", Language.CHINESE),
        ("en-GB, zh;q=0.9", Language.ENGLISH),
        ("de, zh;q=0.5", Language.CHINESE),
        ("zh;q=0", Language.ENGLISH),
        ("zh;q=nan", Language.ENGLISH),
        ("zh;q=x", Language.ENGLISH),
        (";;,=,zh;q", Language.ENGLISH),
    ],
)
def test_the_most_wanted_language_that_we_write(accepted: str, language: Language) -> None:
    assert choose_language(accepted) is language
