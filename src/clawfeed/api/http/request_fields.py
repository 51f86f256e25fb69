"""What a request may hold: bounded, printable, and nothing beyond what was asked for."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from typing import Annotated

from fastapi import Path, Query
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    model_validator,
)
from starlette.convertors import Convertor, register_url_convertor

# PostgreSQL takes no NUL, JSON no lone surrogate, and a header no line break.
_UNWANTED = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
LARGEST_ID = 2**53  # what JavaScript still counts exactly
# Of the fields nobody knows, so many are told one by one.
MOST_STRANGE = 10


class Body(BaseModel):
    """What a request may bring. A field nobody asked for is refused, not ignored (T13).

    Each one by its name, but not a hundred thousand of them: a stranger's 1 MiB would hold the
    loop and come back as an answer many times as large (T26). A list ends at its first mistake
    for the same reason: `fail_fast`.
    """

    model_config = ConfigDict(extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _few_strange_fields(cls, given: object) -> object:
        known = {field.alias or name for name, field in cls.model_fields.items()}
        if isinstance(given, dict) and len(given) - len(known) > MOST_STRANGE:
            raise ValueError(f"{len(given)} fields are too many; there are {_listed(known)}")
        return given


class Input(Body):
    """A body whose texts are for people: the spaces around them mean nothing."""

    model_config = ConfigDict(str_strip_whitespace=True)


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(names))


def _printable(text: str) -> str:
    if _UNWANTED.search(text):
        raise ValueError("control characters and halves of characters are not allowed")
    return text


def _one_line(text: str) -> str:
    if "\n" in text or "\r" in text:
        raise ValueError("this must be one line")
    # Of marks without width a name could be made that nobody sees.
    if all(unicodedata.category(each)[0] in "CZ" for each in text):
        raise ValueError("there is nothing to see in it")
    return text


class NumberInPath(Convertor[int]):
    """`{source_id:number}`. The framework's own `int` takes any length, and then cannot read it."""

    regex = "[0-9]{1,100}"

    def convert(self, value: str) -> int:
        return int(value)

    def to_string(self, value: int) -> str:
        return str(value)


register_url_convertor("number", NumberInPath())


def _digits(value: object) -> object:
    """One spelling for a number in an address: `1.0`, ` 1` and `１` are none."""
    if isinstance(value, str) and not re.fullmatch("[0-9]{1,100}", value):
        raise ValueError("this must be a whole number")
    return value


Text = Annotated[str, Field(max_length=2_000), AfterValidator(_printable)]
Line = Annotated[
    str, Field(min_length=1, max_length=200), AfterValidator(_printable), AfterValidator(_one_line)
]
Address = Annotated[str, Field(min_length=1, max_length=4_096), AfterValidator(_printable)]
# As JSON says it: not "7", not 7.0, not true.
Id = Annotated[int, Field(strict=True, ge=1, le=LARGEST_ID)]
PathId = Annotated[int, Path(ge=1, le=LARGEST_ID), BeforeValidator(_digits)]
Slug = Annotated[str, Path(pattern=r"^[a-z0-9][a-z0-9-]{0,63}$")]
MOST_LISTED = 200


def up_to(most: int) -> AfterValidator:
    """A wish beyond *most* gets *most* (settled question 15)."""
    return AfterValidator(lambda number: min(number, most))


Limit = Annotated[
    int, Query(ge=1, description=f"At most this many, {MOST_LISTED} at most"), up_to(MOST_LISTED)
]
Cursor = Annotated[
    str, Query(max_length=200, description="`next_cursor` of the answer before; empty to begin")
]
