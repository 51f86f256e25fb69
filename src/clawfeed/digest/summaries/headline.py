"""A source's title as a headline: without the site's name behind it, and without shouting."""

from __future__ import annotations

import re
from typing import Final

from clawfeed.digest.stories.text_folding import fold
from clawfeed.digest.summaries.length import length_in_words
from clawfeed.digest.summaries.sentences import split_sentences
from clawfeed.domain.html_entities import unescape

# What a title may be at most: two lines on a telephone.
LONGEST_HEADLINE: Final = 140
# A title of several sentences that is longer than this is a whole post: its first one is enough.
LONGEST_OF_SENTENCES: Final = 90
SHORTEST_SENTENCE: Final = 4.0
_REPOSITORY = re.compile(r"[A-Za-z0-9][\w.-]*/[\w.-]+")
_SUFFIX = re.compile(
    r"(?P<head>.{6,}?\S)\s*(?P<mark>\s[-–—|·•»:]\s|[|｜_])\s*(?P<tail>[^|｜_]{1,60})\Z"
)
_SHOUT = re.compile(
    r"\A(?:(?:breaking(?: news)?|just in|update(?:d)?(?: [0-9]{1,2})?|exclusive|watch(?: live)?"
    r"|live(?: updates)?|video|photos)"
    r"\s?[:|–—-]\s?|(?:【[^【】]{1,8}】|\[[^\[\]]{1,3}\])\s?)(?=\S)",
    re.IGNORECASE,
)
_ALNUM = re.compile(r"[\W_]+")
# Known to sign their titles, whatever list brings them.
_HOUSES: Final = frozenset(
    {
        "bbc", "bbcnews", "bbcsport", "reuters", "cnn", "cnnbusiness", "cnbc", "apnews", "ap",
        "theverge", "thenewyorktimes", "nytimes", "theguardian", "guardian", "npr", "aljazeera",
        "thewashingtonpost", "washingtonpost", "wsj", "thewallstreetjournal", "bloomberg",
        "bloombergcom", "politico", "axios", "theatlantic", "wired", "arstechnica", "techcrunch",
        "engadget", "forbes", "fortune", "time", "newsweek", "usatoday", "latimes", "cbsnews",
        "abcnews", "nbcnews", "foxnews", "skynews", "thetimes", "financialtimes", "ft",
        "theeconomist", "theindependent", "independent", "dailymail", "mailonline", "yahoonews",
        "yahoofinance", "msn", "dw", "france24", "spiegel", "lemonde", "medium", "substack",
        "youtube", "githubblog", "9to5mac", "macrumors", "businessinsider", "venturebeat",
        "thehill", "scmp", "nikkeiasia", "zdnet", "gizmodo", "mashable", "slashdot", "新浪网",
        "新浪财经", "搜狐", "网易", "腾讯网", "凤凰网", "澎湃新闻", "36氪", "it之家", "虎嗅网",
        "知乎", "人民网", "新华网", "央视网", "界面新闻", "财新网", "观察者网", "少数派",
        "机器之心", "量子位",
    }
)  # fmt: skip
_CLAUSE_END = re.compile(r"(?:[,;:–—]|\s[-–—])\s|[，；：、]")


def clean_headline(
    title: str, *, source_name: str = "", publisher: str = "", about: str = ""
) -> str:
    """*title* on one line, without the names of the site it is from.

    "Show HN:" and the like stay: they say what it is. A title that would be gone stays as it was.
    Of a post its first sentence; a repository's name gets the first sentence of what it is *about*.
    """
    text = " ".join(unescape(title).split())
    for _ in range(2):
        found = _SUFFIX.fullmatch(text)
        if found is None or not _is_site(found, source_name, publisher):
            break
        text = found["head"]
    quiet = _SHOUT.sub("", text)
    if length_in_words(quiet) >= 3:
        text = quiet[:1].upper() + quiet[1:] if quiet[:1].islower() else quiet
    if _REPOSITORY.fullmatch(text) and (described := _first_sentence(about)):
        text = f"{text}: {described}"
    elif len(text) > LONGEST_OF_SENTENCES:
        text = _first_sentence(text)
    return shorten_at_clause(text.strip(" |｜"), LONGEST_HEADLINE)


def _first_sentence(text: str) -> str:
    """The first sentence that says something, without its full stop."""
    found = ""
    for sentence in split_sentences(text):
        found = f"{found} {sentence}".strip()
        if length_in_words(found) >= SHORTEST_SENTENCE:
            break
    return found if found.endswith("...") else found.rstrip(".。")


def shorten_at_clause(text: str, limit: int) -> str:
    """*text*, or as much of it as fits: to the end of a clause or a word, with an ellipsis."""
    if len(text) <= limit:
        return text
    head = text[: limit - 1]
    ends = [found.start() for found in _CLAUSE_END.finditer(head) if found.start() >= limit // 2]
    end = ends[-1] if ends else head.rfind(" ") if " " in head[limit // 2 :] else len(head)
    return head[:end].rstrip(" ,;:，；：、–—-") + "…"


def _is_site(found: re.Match[str], source_name: str, publisher: str) -> bool:
    tail = _key(found["tail"])
    if not tail or tail in _HOUSES:
        return True
    label = max(publisher.removeprefix("www.").split(".")[:-1] or [""], key=len)
    for name in (_key(source_name), _key(publisher), _key(label)):
        if name and len(tail) > 1 and (tail in name or (len(name) > 3 and name in tail)):
            return True
    # Behind a bar stands the site or one of its sections, hardly ever a part of the title.
    return found["mark"].strip() in ("|", "｜") and len(found["tail"].split()) <= 3


def _key(name: str) -> str:
    return _ALNUM.sub("", fold(name))
