"""What of a stranger's text a model gets to see: what a reader would see, and no orders to it."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

# Zero-width and bidirectional marks, soft hyphens, tags, variation selectors: text for machines.
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\uffff\U000e0000-\U000e0fff]"
)
_MARKUP = re.compile(r"<!--.*?(?:-->|\Z)|<[/!?a-zA-Z][^<>]{0,2000}>", re.DOTALL)
# The marks by which chats are laid out for models.
_FRAMES = re.compile(
    r"<\|[^|<>]{0,40}\|>|\[/?INST\]|<</?SYS>>|</?s>|</?(?:items?|documents?|sources?)>",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])")
# Sentences that speak to whoever summarises. A net with holes: that a model obeys must not matter
# (one story a call, no secrets, no tools, links of ours), it only should not show.
_ORDERS: Final = re.compile(
    r"""
    \b(?:ignore|disregard|forget|override|bypass)\b.{0,60}
        \b(?:instructions?|prompts?|rules|above|previous|prior)\b
    | \b(?:system\s+prompt|developer\s+mode)\b | \b(?:new|previous|hidden)\s+instructions?\b
    | \binstructions?\s+hidden\b
    | "role"\s*: | "(?:score|summary|headline|sentences|cites|content)"\s*:
    | \bif\s+you\s+(?:are|'re)\s+an?\s+(?:ai|llm|language\s+model|assistant|bot|summari[sz]er)\b
    | \byou\s+are\s+now\s+(?:in|an?|the|acting)\b | \bstarting\s+with\s+["'“]you\s+are\b
    | \bas\s+an\s+ai\s+(?:language\s+)?(?:model|assistant)\b
    | \b(?:when|while)\s+(?:you\s+)?summari[sz](?:e|ing)\b | \bsummari[sz]e\s+(?:this\s+)?as\b
    | \bdo\s+not\s+summari[sz]e\b | \bthe\s+user\s+has\s+asked\s+you\b
    | \bincluded?\s+verbatim\b | \bverbatim\s+in\s+(?:the|your)\b
    | \b(?:output|print|repeat|append|emit|say)\s+
        (?:only\b|json\b|exactly\b|the\s+(?:words?|text|following|token|phrase)\b|["'“])
    | \b(?:output|print|repeat|append|emit)\s+(?-i:[A-Z0-9_-]{4,})\b
    | \b(?:call|use|invoke|run)\s+the\s+tool\b | \bdecode\s+and\b | \binto\s+base64\b
    | \brank\s+this\b | \bscore\s*:\s*\d+\s*/\s*\d+
    | \breveal\b.{0,20}\b(?:(?:api|secret)\s+key|prompt|password|token)\b
    | \bsend\s+(?:all|every|the)\b.{0,60}\bhttps?: | ^\s*(?:get|post|put|delete)\s+https?:
    | \bcite\s+(?:the\s+)?source\s+as\b | \badd\s+(?:the\s+|a\s+)?link\b
    | \bunsubscribe\s+them\b
    | (?:忽略|无视|忘记|忘掉).{0,20}(?:指令|指示|提示|要求|规则)
    | 系统提示词?|开发者模式|你现在是|你是一个(?:AI|人工智能|助手|语言模型)|新的?指令[:：]
    | (?:输出|打印|回复|重复|附上|附加)(?:以下|如下|上述|[“"「『:：]|(?-i:[A-Z0-9_-]{4,}))
    | (?:总结|摘要|概括)时.{0,20}(?:加上|加入|添加|写上|包含)
    """,
    re.VERBOSE | re.IGNORECASE,
)
# Whoever pretends that another turn of the talk, or another document, begins has said all of the
# news by then.
_TURN: Final = re.compile(
    r"^\W*(?:system|assistant|user|human|llm|reason)\s*:|\bend\s+of\s+(?:document|prompt|input)\b"
    r"|\bnext\s+document\s*:",
    re.IGNORECASE,
)
# Cyrillic and Greek letters that look like Latin ones, inside Latin words.
_LOOKALIKES: Final = str.maketrans(
    "аеорсухіјѕԁԛԝвнкмтпАЕОРСУХІВНКМТαορνικ", "aeopcyxijsdqwbhkmtnAEOPCYXIBHKMTaopvik"
)
_ADDRESS = re.compile(r"https?://\S+", re.IGNORECASE)
_MIXED = re.compile(r"\b(?=\w*[A-Za-z])(?=\w*[\u0370-\u03ff\u0400-\u04ff])\w+\b")


def visible(text: str) -> str:
    """The text as it is read: no markup, no hidden or control characters, single spaces.

    Each line stays a line.
    """
    text = _FRAMES.sub(" ", _MARKUP.sub(" ", _INVISIBLE.sub("", text)))
    text = "".join(
        each if each in "\n\t" or unicodedata.category(each)[0] != "C" else " " for each in text
    )
    lines = (" ".join(line.split()) for line in text.split("\n"))
    return "\n".join(line for line in lines if line)


def plainly_spelled(text: str) -> str:
    """The text with "³", "①", "Ｚ" and "𝐙" as the digits and letters they are read as; for checks.

    Signs stay: full-width ones are how Chinese is written.
    """
    return text if text.isascii() else "".join(map(_as_read, text))


def _as_read(character: str) -> str:
    plain = unicodedata.normalize("NFKC", character)
    return plain if plain.isascii() and plain.isalnum() else character


def without_orders(text: str) -> str:
    """The visible text without the sentences that speak to a model; maybe nothing is left."""
    lines: list[str] = []
    for line in visible(text).split("\n"):
        kept, goes_on = _told(line)
        lines += [kept] if kept else []
        if not goes_on:
            break
    return "\n".join(lines)


def title_without_orders(title: str, text: str) -> str:
    """A title without orders and links; what *text* begins with if nothing is left of it."""
    for candidate in (title, text):
        shown = " ".join(_ADDRESS.sub("", without_orders(candidate)).split())
        if any(each.isalnum() for each in shown):
            return shown if candidate is title else _SENTENCE_END.split(shown)[0]
    return ""


def _told(line: str) -> tuple[str, bool]:
    """What a line tells, and whether more can follow."""
    kept: list[str] = []
    for part in _SENTENCE_END.split(line):
        read = _MIXED.sub(_latin, part)
        if _TURN.search(read):
            return " ".join(kept), False
        if part.strip() and not _ORDERS.search(read):
            kept.append(part.strip())
    return " ".join(kept), True


def _latin(word: re.Match[str]) -> str:
    return word[0].translate(_LOOKALIKES)
