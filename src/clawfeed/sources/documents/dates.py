"""Dates as feeds write them: right or absent, never guessed.

What is known: ISO 8601 and its relatives, RFC 822 and its relatives in the languages generators
speak, `asctime`, Unix time. A zone nobody knows, a day that does not exist and an order of numbers
that may be read two ways give no date.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from functools import lru_cache
from typing import Final

LONGEST_DATE: Final = 100

# As generators write them. A word that is another month elsewhere ("listopad") is left out.
_MONTH_NAMES: Final = (
    (
        "jan january januar janvier janv jän jänner enero ene gennaio gen januari janeiro janúar "
        "янв января январь ιαν ιανουαρίου január ocak"
    ),
    (
        "feb february februar février févr fév febrero febbraio februari fevereiro fev "
        "фев февр февраля февраль φεβ φεβρουαρίου február febr şubat"
    ),
    (
        "mar march märz mrz mär mars marzo maart mrt março marts "
        "мар марта март μαρ μάρ μαρτίου március márc mart"
    ),
    "apr april avril avr abril abr aprile апр апреля апрель απρ απριλίου április ápr nisan",
    "may mai mayo maggio mag mei maj maio мая май μαι μάι μαϊ μαΐου május máj mayıs",
    "jun june juni juin junio giugno giu junho июн июня июнь ιουν ιούν ιουνίου június jún haziran",
    (
        "jul july juli juillet juil julio luglio lug julho "
        "июл июля июль ιουλ ιούλ ιουλίου július júl temmuz"
    ),
    (
        "aug august août aout agosto ago augustus augusti "
        "авг августа август αυγ αύγ αυγούστου augusztus ağustos"
    ),
    (
        "sep sept september septembre septiembre settembre set setembro "
        "сен сент сентября сентябрь σεπ σεπτεμβρίου szeptember szept eylül"
    ),
    (
        "oct october oktober octobre octubre ottobre ott okt outubro out "
        "окт октября октябрь οκτ οκτωβρίου október ekim"
    ),
    "nov november novembre noviembre novembro ноя нояб ноября ноябрь νοε νοέ νοεμβρίου kasım",
    (
        "dec december dezember dez décembre déc diciembre dic dicembre dezembro desember des "
        "дек декабря декабрь δεκ δεκεμβρίου aralık"
    ),
)
_MONTHS: Final = {
    name: number for number, names in enumerate(_MONTH_NAMES, 1) for name in names.split()
}
# Only those that mean one thing to those who write feeds; RFC 822 settles the American ones.
_ZONES: Final = {
    "z": 0, "ut": 0, "utc": 0, "gmt": 0, "wet": 0, "west": 1, "bst": 1, "cet": 1, "cest": 2,
    "met": 1, "mest": 2, "mez": 1, "mesz": 2, "eet": 2, "eest": 3, "msk": 3, "ist": 5.5,
    "pst": -8, "pdt": -7, "mst": -7, "mdt": -6, "cst": -6, "cdt": -5, "est": -5, "edt": -4,
    "akst": -9, "akdt": -8, "hst": -10, "aest": 10, "aedt": 11, "acst": 9.5, "acdt": 10.5,
    "awst": 8, "nzst": 12, "nzdt": 13, "jst": 9, "kst": 9, "sgt": 8, "hkt": 8,
}  # fmt: skip
# "ET" is EST or EDT, whichever was in force; see `_american_offset`.
_AMERICAN: Final = {"et": -5, "ct": -6, "mt": -7, "pt": -8}
_DAY_NAMES: Final = (
    "mon tue tues wed thu thur thurs fri sat sun monday tuesday wednesday thursday friday saturday "
    "sunday mo di mi do fr sa so montag dienstag mittwoch donnerstag freitag samstag sonnabend "
    "sonntag lun lundi mardi mer mercredi jeu jeudi ven vendredi sam samedi dim dimanche lunes "
    "martes mié miércoles jue jueves vie viernes sáb sábado dom domingo"
)
# Words that may stand in a date and say nothing.
_FILLERS: Final = frozenset({*_DAY_NAMES.split(), "de", "del", "of", "the", "at", "um", "on"})
_ISO = re.compile(
    r"(\d{4})(?:[-/.](\d{1,2})(?:[-/.](\d{1,2}))?)?(?:(?:\s*T\s*|\s+)(\S.*))?", re.IGNORECASE
)
_ORDINAL = re.compile(r"(\d{4})-?(\d{3})")
_WEEK = re.compile(r"\d{4}-?W\d\d-?\d")
_DIGITS = re.compile(r"(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)")
_NUMBERS = re.compile(r"(\d{1,2})([./])\s?(\d{1,2})\2\s?(\d{4})(?:,?\s+(\S.*))?")
_KOREAN = re.compile(r"(\d{4})\s?년\s*(\d{1,2})\s?월\s*(\d{1,2})\s?일(?:\s+(\S.*))?")
_CHINESE = re.compile(r"(\d{4})\s?年\s*(\d{1,2})\s?月\s*(\d{1,2})\s?[日号](?:\s*(\S.*))?")
# Until 2030: what begins with "20" is a day written without hyphens.
_UNIX = re.compile(r"(1[0-8]\d{8})(\d{3})?")
_TIME = re.compile(
    r"(오전|오후|上午|下午|[ap]m\b)?\s*(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,]\d+)?)?(?:\s*([ap])\.?m\b\.?)?",
    re.IGNORECASE,
)
_ZONE = re.compile(
    r"(?:(?:gmt|utc?)\s?)?([+-])(\d{1,2}):?(\d{2})?(?:\s+[a-z]{2,5})?", re.IGNORECASE
)
_RFC822 = re.compile(
    r"(?:[A-Z][a-z]{2}, )?(\d{1,2}) ([A-Z][a-z]{2}) (\d{4}) (\d\d:\d\d:\d\d) (GMT|[+-]\d{4})"
)
_COMMENT = re.compile(r"\s*\([^()]*\)$")
_WORD = re.compile(r"[^\W\d_]+|\d+(?:st|nd|rd|th|er)?", re.IGNORECASE)
# The day of the week, in whichever language: the date says it once more.
_LEADING_DAY = re.compile(r"([^\W\d_]+)\.?,\s*")
_GLUED_TIME = re.compile(r"(?<=\d)T(?=\d{1,2}:)")
_SEOUL: Final = timezone(timedelta(hours=9))
# Whose words for morning and afternoon tell where they are read.
_HALVES: Final = {
    "오전": ("a", _SEOUL),
    "오후": ("p", _SEOUL),
    "上午": ("a", timezone(timedelta(hours=8))),
    "下午": ("p", timezone(timedelta(hours=8))),
}


@lru_cache(maxsize=4096)
def read_date(text: str) -> datetime | None:
    """The moment *text* names, or None. Without a zone it is UTC, without a time midnight."""
    text = text.strip()
    if len(text) > LONGEST_DATE:
        return None
    try:
        if text[10:11] == "T" and len(text) >= 13:
            return datetime.fromisoformat(text)
        if common := _RFC822.fullmatch(text):
            return _common(common)
    except (ValueError, OverflowError):
        pass  # perhaps one of those below
    try:
        return _odd_date(_COMMENT.sub("", " ".join(text.split())))
    except (ValueError, OverflowError):
        return None


def _common(found: re.Match[str]) -> datetime | None:
    day, month, year, clock, zone = found.groups()
    number = _MONTHS.get(month.lower())
    if number is None:
        raise ValueError(month)
    date = datetime.fromisoformat(f"{year}-{number:02}-{day:0>2}T{clock}Z")
    if zone in {"GMT", "+0000", "-0000"}:
        return date
    if zone[3:] > "59":
        raise ValueError(zone)
    offset = timedelta(hours=int(zone[1:3]), minutes=int(zone[3:]))
    return date - offset if zone[0] == "+" else date + offset


def _odd_date(text: str) -> datetime | None:
    for form, read in _FORMS:
        if found := form.fullmatch(text):
            return read(found)
    is_iso = text[:8].isdigit() or _WEEK.fullmatch(text)
    return datetime.fromisoformat(text) if is_iso else _worded(text)


def _unix(found: re.Match[str]) -> datetime:
    return datetime.fromtimestamp(int(found[1]), UTC)


def _parts(found: re.Match[str], zone: timezone = UTC) -> datetime | None:
    return _moment(int(found[1]), int(found[2] or 1), int(found[3] or 1), found[4], zone)


def _korean(found: re.Match[str]) -> datetime | None:
    return _parts(found, _SEOUL)


def _digits(found: re.Match[str]) -> datetime | None:
    year, month, day, hours, minutes, seconds = map(int, found.groups())
    return datetime(year, month, day, hours, minutes, seconds, tzinfo=UTC)


def _ordinal(found: re.Match[str]) -> datetime | None:
    """A day of the year: 2003-335."""
    year, day = int(found[1]), int(found[2])
    date = datetime(year, 1, 1, tzinfo=UTC) + timedelta(days=day - 1)
    return date if date.year == year else None


def _numbered(found: re.Match[str]) -> datetime | None:
    """31.12.2003 is German; 12/31/2003 can be read in one way only, 04/05/2003 in two."""
    first, second, year = int(found[1]), int(found[3]), int(found[4])
    if found[2] == "." or first > 12 or first == second:
        return _moment(year, second, first, found[5])
    return _moment(year, first, second, found[5]) if second > 12 else None


def _worded(text: str) -> datetime | None:
    """A date with its month in words: day, month, year in any order, around the time and a zone."""
    weekday = _LEADING_DAY.match(text)
    if weekday and weekday[1].lower() not in _MONTHS:
        text = text[weekday.end() :]
    text = _GLUED_TIME.sub(" ", text)
    clock = _TIME.search(text)
    before, after = (text[: clock.start()], text[clock.end() :]) if clock else (text, "")
    # "Sun Jan 4 16:29:06 PST 2004": the year behind the time.
    late_year = re.fullmatch(r"(.*?)[,\s]*(?<![+-])\b(\d{4})", after)
    if late_year and not re.search(r"\b\d{4}\b", before):
        before, after = f"{before} {late_year[2]}", late_year[1]
    if clock is None and (zone := re.search(r"\d\s+([A-Z]{1,4})$", before)):
        before, after = before[: zone.start(1)], zone[1]
    day = _day_of(before)
    if day is None:
        return None
    return _moment(*day, f"{clock[0] if clock else '0:00'} {after.strip(' ,')}")


def _day_of(text: str) -> tuple[int, int, int] | None:
    """Year, month, day; None if a word is unknown or a number may be two things."""
    if re.sub(_WORD, "", text).strip(" ,.-/'’º"):
        return None
    months: list[int] = []
    numbers: list[str] = []
    split = 0
    for word in _WORD.findall(text.lower()):
        if word[0].isdigit():
            numbers.append(word)
        elif word in _MONTHS:
            months.append(_MONTHS[word])
            split = len(numbers)
        elif word not in _FILLERS:
            return None
    if len(months) == 2 and months[0] == 3 and text.lower().lstrip().startswith("mar"):
        del months[0]  # "mar. 7 mai": mardi, martes
    if len(months) != 1 or len(numbers) != 2:
        return None
    years = [n for n in numbers if len(n) == 4 and n.isdigit()]
    if len(years) == 1:
        numbers.remove(years[0])
        return int(years[0]), months[0], int(re.sub(r"\D", "", numbers[0]))
    if split == 1 and len(numbers[1]) == 2:  # "06 May 24" (RFC 822)
        year = int(numbers[1])
        return year + (2000 if year < 69 else 1900), months[0], int(re.sub(r"\D", "", numbers[0]))
    return None


def _moment(
    year: int, month: int, day: int, rest: str | None, zone: timezone = UTC
) -> datetime | None:
    """That day at the time in *rest*, which may name a zone; None if it is neither."""
    date = datetime(year, month, day, tzinfo=UTC)
    if not rest:
        return date
    clock = _TIME.match(rest)
    if clock is None:
        return None
    hours, minutes, seconds = int(clock[2]), int(clock[3]), int(clock[4] or 0)
    half = (clock[1] or clock[5] or "")[:1].lower()
    if clock[1] in _HALVES:
        half, zone = _HALVES[clock[1]]
    if half:
        if not 1 <= hours <= 12:
            return None
        hours = hours % 12 + (12 if half == "p" else 0)
    if hours > 24 or minutes > 59 or seconds > 60 or (hours == 24 and (minutes or seconds)):
        return None
    local = date + timedelta(hours=hours, minutes=minutes, seconds=seconds)
    name = rest[clock.end() :].strip().removeprefix("Uhr").strip()
    offset = zone.utcoffset(None) if not name else _offset(name, local)
    return None if offset is None else local - offset


def _offset(name: str, local: datetime) -> timedelta | None:
    key = name.lower()
    if key in _ZONES:
        return timedelta(hours=_ZONES[key])
    if key in _AMERICAN:
        return _american_offset(_AMERICAN[key], local)
    if not (found := _ZONE.fullmatch(name)):
        return None
    hours, minutes = int(found[2]), int(found[3] or 0)
    if hours > 15 or minutes > 59:
        return None
    return timedelta(hours=hours, minutes=minutes) * (1 if found[1] == "+" else -1)


def _american_offset(standard: int, local: datetime) -> timedelta | None:
    """Summer time from the second Sunday in March to the first in November, since 2007."""
    if local.year < 2007:
        return None
    start = _sunday(local.year, 3, 8) + timedelta(hours=2)
    end = _sunday(local.year, 11, 1) + timedelta(hours=2)
    return timedelta(hours=standard + (1 if start <= local < end else 0))


def _sunday(year: int, month: int, day: int) -> datetime:
    """The first Sunday on or after that day."""
    date = datetime(year, month, day, tzinfo=UTC)
    return date + timedelta(days=(6 - date.weekday()) % 7)


_FORMS: Final[tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], datetime | None]], ...]] = (
    (_UNIX, _unix),
    (_ISO, _parts),
    (_CHINESE, _parts),
    (_KOREAN, _korean),
    (_NUMBERS, _numbered),
    (_ORDINAL, _ordinal),
    (_DIGITS, _digits),
)
