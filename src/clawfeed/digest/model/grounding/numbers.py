"""The numbers of a text as values: `1,000`, `one thousand` and `1千` are the same one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

PERCENT = "%"


def _words(text: str) -> list[str]:
    return text.split()


@dataclass(frozen=True, slots=True, kw_only=True)
class Number:
    """One number: the values it may mean, and whether it is a share, money, or part of a date."""

    text: str
    values: frozenset[Decimal]
    unit: str = ""
    is_dated: bool = False


_THOUSAND, _MILLION, _BILLION = Decimal(1000), Decimal(10**6), Decimal(10**9)
_SCALES: Final[Mapping[str, Decimal]] = {
    "hundred": Decimal(100), "thousand": _THOUSAND, "million": _MILLION, "billion": _BILLION,
    "trillion": Decimal(10**12), "bn": _BILLION, "mn": _MILLION, "tn": Decimal(10**12),
    "dozen": Decimal(12),
}  # fmt: skip
# "5m" is five million or five metres.
_SHORT_SCALES: Final = {"k": _THOUSAND, "m": _MILLION, "b": _BILLION}
_HAN_SCALES: Final = {
    "十": Decimal(10), "百": Decimal(100), "千": _THOUSAND, "万": Decimal(10**4),
    "萬": Decimal(10**4), "亿": Decimal(10**8), "億": Decimal(10**8), "兆": Decimal(10**12),
}  # fmt: skip
_HAN_DIGITS: Final = {each: value for value, each in enumerate("零一二三四五六七八九")} | {
    "〇": 0,
    "两": 2,
    "兩": 2,
}
_SMALL_NUMBERS: Final = _words(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen"
)
_TENS: Final = _words("twenty thirty forty fifty sixty seventy eighty ninety")
_ORDINALS: Final = _words("third fourth fifth sixth seventh eighth ninth tenth")
_WORDS: Final[Mapping[str, int]] = (
    {word: value for value, word in enumerate(_SMALL_NUMBERS)}
    | {word: 10 * value for value, word in enumerate(_TENS, 2)}
    | {word: value for value, word in enumerate(_ORDINALS, 3)}
)
# Checked as numbers, so they are no names where they begin a sentence.
COUNTING_WORDS: Final = frozenset(_WORDS) | frozenset(_SCALES)
_MONTH_NAMES: Final = _words(
    "january february march april may june july august september october november december"
)
MONTHS: Final[Mapping[str, int]] = {
    form: value
    for value, name in enumerate(_MONTH_NAMES, 1)
    for form in (name, name[:3], "sept" if name == "september" else name)
}
_UNITS: Final = (
    (
        re.compile(
            r"\s?(?:%|％|percent\b|per\s?cent\b|percentage\b|pct\b|个?百分点)", re.IGNORECASE
        ),
        PERCENT,
    ),
    (re.compile(r"\s?(?:us\s)?(?:dollars?\b|usd\b|美元|美金)", re.IGNORECASE), "$"),
    (re.compile(r"\s?(?:euros?\b|eur\b|欧元|歐元|€)", re.IGNORECASE), "€"),
    (re.compile(r"\s?(?:pounds?\b|gbp\b|英镑)", re.IGNORECASE), "£"),
    (re.compile(r"\s?(?:yen\b|jpy\b|日元|日圆|円)", re.IGNORECASE), "JPY"),
    (
        re.compile(r"\s?(?:yuan\b|rmb\b|cny\b|元人民币|人民币|元(?![素旦件老首]))", re.IGNORECASE),
        "¥",
    ),
)
_SIGNS: Final = {"$": "$", "€": "€", "£": "£", "¥": "¥", "￥": "¥"}

_DIGITS = re.compile(
    r"(?P<sign>[$€£¥￥]\s?)?"
    r"(?P<number>\d{1,3}(?:[,，\u00a0\u202f]\d{3})+(?:\.\d+)?|\d{1,3}(?:\.\d{3}){2,}|\d+[.,]\d+|\d+)"
    r"(?:\s?-?(?P<word>hundred|thousand|million|billion|trillion|bn|mn|tn|dozen)\b"
    r"|(?P<short>[kmb])(?![a-z0-9])|\s?(?P<han>[十百千万萬亿億兆]+))?",
    re.IGNORECASE,
)
_HAN_NUMBER = re.compile(
    r"(?P<share>百分之)?(?P<number>[零〇一二两兩三四五六七八九十百千万萬亿億]+)(?P<tenths>成)?"
)
# After these a single Chinese numeral counts something.
_COUNTED_NOUN = re.compile(
    r"[人名家个個天年月日次倍元岁歲位条條项項起架艘辆輛颗顆枚支台部款座场場周层期届]|小时|分钟|季度|公里|美元|亿|万"
)
_NO_NUMBER = re.compile(
    r"十分|万一|千万别|一千零一夜|百分百|三星|三角|九州|八卦|四川|五粮液|六安|七匹狼|万科|万达|千禧|百度|百姓|百货|万物|万众"
)
_WORD = re.compile(r"[a-z]+", re.IGNORECASE)
# "the two" points at what was named, "one" and "first" are hardly ever a count.
_POINTING = frozenset({"the", "these", "those", "its", "their", "all", "both", "between", "other"})


def numbers_in(text: str) -> list[Number]:
    """Every number that a reader would take for one."""
    return [*_digits(text), *_in_words(text), *_in_han(text)]


def liberal_numbers_in(text: str) -> list[Number]:
    """More than that: parts of names and versions, months by name, single numerals."""
    found = [*_digits(text), *_in_words(text), *_in_han(text)]
    found += [_plain(run[0], Decimal(run[0])) for run in re.finditer(r"\d{1,15}", text)]
    found += [_plain(word[0], Decimal(value)) for word, value in _months(text)]
    found += [_plain(each, Decimal(value)) for each, value in _HAN_DIGITS.items() if each in text]
    words = {word.lower() for word in _WORD.findall(text)}
    found += [_plain(word, Decimal(_WORDS[word])) for word in words & _WORDS.keys()]
    return found


def _plain(text: str, value: Decimal) -> Number:
    return Number(text=text, values=frozenset({value}))


def _months(text: str) -> Iterator[tuple[re.Match[str], int]]:
    for word in _WORD.finditer(text):
        value = MONTHS.get(word[0].lower())
        if value is not None and word[0][0].isupper():
            yield word, value


def _digits(text: str) -> Iterator[Number]:
    for found in _DIGITS.finditer(text):
        start = found.start("number")
        before = text[start - 1 : start]
        # Part of a name (GPT-4, H100, v2.1); names are checked as such.
        if not found["sign"] and re.search(r"[A-Za-z][-_.]?\Z", text[max(0, start - 2) : start]):
            continue
        if before in {".", "_"} and start > 1 and text[start - 2].isalnum():
            continue
        values = _values(found)
        unit = _SIGNS.get((found["sign"] or "").strip(), "") or _unit_after(text, found.end())
        is_dated = not unit and _is_dated(text, found)
        yield Number(text=found[0].strip(), values=frozenset(values), unit=unit, is_dated=is_dated)


def _is_dated(text: str, found: re.Match[str]) -> bool:
    """Whether a number is a year, or stands where a date has one."""
    if re.fullmatch(r"(?:19|20)\d\d", found[0]):
        return True
    if re.match(r"\s?[年月日号號]|-\d\d", text[found.end() :]):
        return True
    around = text[max(0, found.start() - 12) : found.end() + 12]
    return any(word.lower() in MONTHS for word in _WORD.findall(around))


def _values(found: re.Match[str]) -> set[Decimal]:
    scale = Decimal(1)
    if found["word"]:
        scale = _SCALES[found["word"].lower()]
    for each in found["han"] or "":
        scale *= _HAN_SCALES[each]
    plain = {value * scale for value in _readings(found["number"])}
    if found["short"]:
        plain |= {value * _SHORT_SCALES[found["short"].lower()] for value in plain}
    return plain


def _readings(text: str) -> set[Decimal]:
    """`1.000` is one or a thousand, by the language; `3,5` is three and a half."""
    bare = re.sub(r"[,，\u00a0\u202f]", "", text)
    if re.fullmatch(r"\d{1,3}(\.\d{3}){2,}", text):
        return {Decimal(text.replace(".", ""))}
    if re.fullmatch(r"\d{1,3}\.\d{3}", text):
        return {Decimal(text), Decimal(text.replace(".", ""))}
    if re.fullmatch(r"\d+,\d+", text) and not re.fullmatch(r"\d{1,3},\d{3}", text):
        return {Decimal(text.replace(",", "."))}
    return {Decimal(bare)}


def _unit_after(text: str, end: int) -> str:
    for pattern, unit in _UNITS:
        if pattern.match(text, end):
            return unit
    return ""


def _in_words(text: str) -> Iterator[Number]:
    """Runs of number words: "twenty-five", "one hundred and fifty thousand"."""
    words = list(_WORD.finditer(text))
    place = 0
    while place < len(words):
        run = _run_of(words, place, text)
        if not run:
            place += 1
            continue
        place += len(run)
        said = [word[0].lower() for word in run]
        before = words[place - len(run) - 1][0].lower() if place > len(run) else ""
        value = _value_of(said)
        if said == ["one"] or (value < 11 and before in _POINTING):
            continue
        # "two million" after digits was read with them.
        if said[0] in _SCALES and re.search(r"\d\s?-?\Z", text[: run[0].start()]):
            continue
        unit = _unit_after(text, run[-1].end())
        values = frozenset({Decimal(value)})
        yield Number(text=" ".join(said), values=values, unit=unit)


def _run_of(words: list[re.Match[str]], start: int, text: str) -> list[re.Match[str]]:
    if words[start][0].lower() not in _WORDS:
        return []
    run = [words[start]]
    for word in words[start + 1 :]:
        gap = text[run[-1].end() : word.start()]
        said = word[0].lower()
        if gap not in {" ", "-"} or not (said in _WORDS or said in _SCALES):
            break
        run.append(word)
    return run


def _value_of(said: list[str]) -> Decimal:
    total, current = Decimal(0), Decimal(0)
    for word in said:
        if word in _WORDS:
            current += _WORDS[word]
        elif word == "hundred":
            current = (current or Decimal(1)) * 100
        else:
            total += (current or Decimal(1)) * _SCALES[word]
            current = Decimal(0)
    return total + current


def _in_han(text: str) -> Iterator[Number]:
    skipped = {at for word in _NO_NUMBER.finditer(text) for at in range(word.start(), word.end())}
    for found in _HAN_NUMBER.finditer(text):
        run = found["number"]
        if found.start("number") in skipped or text[found.start() - 1 : found.start()].isdigit():
            continue
        is_counted = bool(_COUNTED_NOUN.match(text, found.end("number")))
        is_share = bool(found["share"] or found["tenths"])
        if not (
            is_share
            or (len(run) > 1 and run not in {"一一", "一万", "万一"})
            or (is_counted and run != "一")
        ):
            continue
        value = _han_value(run)
        if value is None:
            continue
        if found["tenths"]:
            value *= 10
        unit = PERCENT if is_share else _unit_after(text, found.end())
        yield Number(text=found[0], values=frozenset({value}), unit=unit)


def _han_value(run: str) -> Decimal | None:
    if all(each in _HAN_DIGITS for each in run):
        return Decimal("".join(str(_HAN_DIGITS[each]) for each in run))
    total, section, digit = Decimal(0), Decimal(0), Decimal(0)
    for each in run:
        if each in _HAN_DIGITS:
            digit = Decimal(_HAN_DIGITS[each])
        elif each in "十百千":
            section += (digit or Decimal(1)) * _HAN_SCALES[each]
            digit = Decimal(0)
        else:
            total = (total + section + digit or Decimal(1)) * _HAN_SCALES[each]
            section = digit = Decimal(0)
    return total + section + digit
