"""What a story is about, in a name or two: for titles that have no verb."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from clawfeed.digest.summaries.length import count_characters
from clawfeed.domain.editions.digest import DigestStory

LONGEST_TOPIC: Final = 32
# "Strait of Hormuz", "GPT-5.5", "iPhone 17 Pro", "Jesse Jackson".
_ONE: Final = r"(?:(?:[A-Z]\.)+|[A-Z][\w&’'-]*(?:\.\w+)*|[a-z]{1,2}[A-Z]\w+)"
_NAME = re.compile(
    rf"{_ONE}(?:(?: (?:of|de|van|von|bin|al|la|du|&))? {_ONE}| [0-9]+(?:\.[0-9]+)*\b(?!%))*"
)
_OWNER = re.compile("['’]s\\b")
_TELLING = re.compile(r"[^\W\d_]{3}|[A-Z]{2}")
_WORD = re.compile(r"[^\W\d_][\w’'-]*")
# Capital letters that name nobody: the first word of a sentence, months, weekdays, titles.
_NO_NAMES: Final = frozenset(
    {
        "a", "about", "after", "again", "ai", "all", "also", "am", "amid", "an", "and", "another",
        "any", "apr", "april", "are", "as", "ask", "at", "aug", "august", "be", "because", "been",
        "before", "behind", "best", "big", "both", "but", "by", "can", "case", "ceo", "could",
        "day", "days", "dear", "dec", "december", "did", "do", "does", "don't", "during", "each",
        "est", "even", "every", "everything", "exclusive", "faq", "feb", "february", "few", "final",
        "finally", "first", "five", "for", "former", "four", "friday", "from", "full", "get",
        "getting", "gmt", "good", "great", "guide", "had", "has", "have", "he", "her", "here",
        "high", "his", "hn", "how", "however", "i", "i'm", "i've", "if", "in", "inside", "instead",
        "interview", "into", "introducing", "is", "it", "it's", "its", "jan", "january", "jul",
        "july", "jun", "june", "just", "last", "later", "latest", "let", "let's", "life", "like",
        "live", "look", "major", "make", "making", "man", "many", "mar", "march", "may", "maybe",
        "me", "meanwhile", "meet", "minister", "monday", "more", "most", "mr", "mrs", "ms", "much",
        "my", "nearly", "never", "new", "news", "next", "nine", "no", "not", "note", "nothing",
        "nov", "november", "now", "oct", "october", "of", "officials", "old", "on", "once", "one",
        "only", "opinion", "or", "other", "our", "out", "over", "own", "part", "people", "pm",
        "police", "president", "prime", "report", "review", "rss", "saturday", "says", "second",
        "see", "sep", "sept", "september", "seven", "she", "should", "show", "since", "six", "so",
        "some", "someone", "something", "still", "stop", "study", "such", "sunday", "ten", "than",
        "that", "the", "their", "then", "there", "there's", "these", "they", "things", "this",
        "those", "though", "thousands", "three", "through", "thursday", "time", "tl;dr", "to",
        "today", "too", "top", "toward", "tuesday", "two", "under", "until", "up", "update", "us",
        "use", "using", "utc", "very", "via", "video", "vs", "was", "watch", "way", "we",
        "wednesday", "week", "weekly", "welcome", "well", "were", "what", "what's", "when", "where",
        "which", "while", "who", "whom", "whose", "why", "will", "with", "without", "woman", "work",
        "world", "would", "year", "years", "yes", "yet", "you", "you're", "your",
    }
)  # fmt: skip
# Lower-case in most headlines that capitalise their words.
_SMALL_WORDS: Final = frozenset(
    ["with", "from", "after", "over", "amid", "into", "that", "upon", "than"]
)
# "Iranian" names nothing without what follows it.
_ADJECTIVE = re.compile(
    r"\w+(?:ian|ean|ese|ish)s?|Americans?|French|German|Greek|Dutch|Israeli|Iraqi|Olympic|Swiss|U\.?S\.?"
)
_QUOTED_CHINESE = re.compile("《([^《》]{2,14})》")
_LATIN_IN_CHINESE = re.compile(r"[A-Za-z][A-Za-z0-9.+-]*(?: ?[A-Z0-9][A-Za-z0-9.+-]*){0,2}")
_HAN_RUN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff]{2,}")
# Characters that stand between words more often than in them: a common piece is cut there.
_SMALL_HAN: Final = re.compile(
    "[的了在是和与及将被把对为就也都而或从到向以于等这那其并但不有上下中后前来去说称表示发布宣布回应首次今日最新]"
)


def topics_of(story: DigestStory) -> list[str]:
    """The names that a story is about, the most telling first; empty if it names nobody."""
    headline = story.words.headline
    if count_characters(headline) >= 4:
        return _chinese_topics(story)
    titles = [source.title for source in story.sources]
    lines = [headline, *titles, *(sentence.text for sentence in story.words.sentences)]
    known = _names_in_running_text(lines)
    found: Counter[str] = Counter()
    for weight, line in [(3, headline), *((1, line) for line in lines[1:])]:
        is_capitalised = _is_title_case(line)
        for name in _names(line):
            if not is_capitalised or _is_known(name, known):
                found[_without_first_word(name, lines)] += weight
    in_headline = [name for name in found if name in headline]
    # The first word is capitalised whatever it is: it is a name for want of a better one.
    sure = [n for n in in_headline if not headline.startswith(n) or " " in n or _is_known(n, known)]
    elsewhere = [name for name in found if " " in name or _is_known(name, known)]
    return _best(found, sure or in_headline or elsewhere, headline)


def _without_first_word(name: str, lines: Sequence[str]) -> str:
    """Let "Bobsledder Anna Vale" at the start of a line be "Anna Vale" if others call her so."""
    tail = name.partition(" ")[2]
    if " " not in tail or not tail[0].isupper() or sum(name in line for line in set(lines)) > 1:
        return name
    return tail if any(tail in line and name not in line for line in lines) else name


def _best(found: Counter[str], names: Iterable[str], headline: str) -> list[str]:
    """By how often a name occurs; longer ones before their parts, earlier ones first."""
    ranked = sorted(
        names, key=lambda name: (-found[name] - 2 * (" " in name), headline.find(name), -len(name))
    )
    kept: list[str] = []
    for name in ranked:
        if not any(name in other or other in name for other in kept):
            kept.append(name)
    return kept


def _names(line: str) -> list[str]:
    """The runs of capitalised words in *line*, without those that name nobody at either end."""
    names = []
    for run in (run for part in _OWNER.split(line) for run in _NAME.findall(part)):
        words = run.rstrip(".'’-").split(" ")
        while words and _is_no_name(words[0]):
            words.pop(0)
        while words and _is_no_name(words[-1]):
            words.pop()
        name = " ".join(words)
        is_adjective = len(words) == 1 and _ADJECTIVE.fullmatch(name)
        if _TELLING.search(name) and len(name) <= LONGEST_TOPIC and not is_adjective:
            names.append(name)
    return names


def _is_no_name(word: str) -> bool:
    lower = word.lower().strip(".,'’")
    return (
        lower in _NO_NAMES
        or lower in ("of", "de", "la", "al", "du")
        or lower.endswith(("n't", "’t"))
    )


def _is_title_case(line: str) -> bool:
    """Whether nearly every word is capitalised, so that capitals say nothing."""
    words = [word for word in _WORD.findall(line)[1:] if len(word) > 3 and word not in _SMALL_WORDS]
    return len(words) >= 2 and sum(word[0].isupper() for word in words) >= 0.9 * len(words)


def _names_in_running_text(lines: Sequence[str]) -> set[str]:
    """Words with a capital letter in the middle of a sentence."""
    return {
        word
        for line in lines
        if not _is_title_case(line)
        for found in re.finditer(r"(?<=[a-z,] )[A-Z][\w’'-]+", line)
        for word in (found[0].removesuffix("’s").removesuffix("'s"),)
    }


def _is_known(name: str, known: set[str]) -> bool:
    words = name.split(" ")
    has_inner = any(word[1:] != word[1:].lower() for word in words)  # "OpenAI", "NASA"
    return has_inner or all(word in known or not word[0].isupper() for word in words)


def _chinese_topics(story: DigestStory) -> list[str]:
    """Titles in 《》, Latin names, and what the sources' headlines have in common."""
    headline = story.words.headline
    titles = [source.title for source in story.sources if source.title != headline]
    found = _QUOTED_CHINESE.findall(headline)
    found += [name for name in _LATIN_IN_CHINESE.findall(headline) if len(name) > 1]
    found += sorted(_common_pieces(headline, titles), key=headline.find)
    kept: list[str] = []
    for name in found:
        if not any(name in other or other in name for other in kept):
            kept.append(name)
    if kept:
        return kept
    first = re.split("[，。：！？；、\\s“”]", headline)[0]
    return [first] if 2 <= len(first) <= 12 else []


def _common_pieces(headline: str, titles: Sequence[str]) -> list[str]:
    """Pieces of two to eight characters that half of the other headlines have, too."""
    need = max(1, len(titles) // 2)
    pieces: list[str] = []
    for run in (piece for whole in _HAN_RUN.findall(headline) for piece in _SMALL_HAN.split(whole)):
        for size in range(min(8, len(run)), 1, -1):
            found = [
                run[at : at + size]
                for at in range(len(run) - size + 1)
                if sum(run[at : at + size] in title for title in titles) >= need
            ]
            if found and titles:
                pieces.append(found[0])
                break
    return pieces
