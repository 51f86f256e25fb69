"""What people see of a message in each service: its text, where its links lead, whom it mentions.

Written from the services' manuals, not from our senders: whatever a sender forgets to escape is
style, a link or a mention here, as it would be there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final


class BadMessageError(ValueError):
    """The service would not take it."""


@dataclass(frozen=True, slots=True)
class Seen:
    text: str
    links: tuple[str, ...] = ()
    mentions: tuple[str, ...] = field(default=())


# Where a backslash's character waits until the markup around it has been read.
_SAFE: Final = 0xF0000

_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
_MENTION = re.compile(r"<@[!&]?\w+>|<#\d+>|@everyone|@here|<t:\d+")
_LINK = re.compile(r"\[([^\[\]]*)\]\(<?([^()<>\s]*)>?\)")
_STYLE = (
    re.compile(r"\*\*(.+?)\*\*"),
    re.compile(r"__(.+?)__"),
    re.compile(r"\*(\S.*?)\*"),
    re.compile(r"(?<!\w)_(\S.*?)_(?!\w)"),
    re.compile(r"~~(.+?)~~"),
    re.compile(r"\|\|(.+?)\|\|"),
    re.compile(r"`+([^`]+)`+"),
    re.compile(r"^(?:#{1,6}|-#|>{1,3}|[-*+]|\d+[.)]) +(.*)$", re.MULTILINE),
    re.compile(r"<(?:a?:\w+:\d+|/?\w[^<>]*)>()"),
    re.compile(r":\w+:()"),
)


def markdown_seen(source: str) -> Seen:
    """Discord's Markdown, and DingTalk's, which is a part of it."""
    text = _ESCAPE.sub(lambda found: chr(_SAFE + ord(found[1])), source)
    links: list[str] = []

    def linked(found: re.Match[str]) -> str:
        links.append(_plain(found[2]))
        return found[1]

    text = _LINK.sub(linked, text)
    mentions = tuple(_plain(found) for found in _MENTION.findall(text))
    for style in _STYLE:
        text = style.sub(r"\1", text)
    return Seen(_plain(text), tuple(links), mentions)


def _plain(text: str) -> str:
    return "".join(chr(ord(each) - _SAFE) if ord(each) >= _SAFE else each for each in text)


def slack_seen(body: Mapping[str, Any]) -> Seen:
    """Rich text: elements that are what they say. Its limits are those of the reference."""
    blocks = body.get("blocks")
    if not isinstance(body.get("text"), str) or not isinstance(blocks, list):
        raise BadMessageError("no_text")
    if not 0 < len(blocks) <= 50:
        raise BadMessageError("invalid_blocks")
    seen = [_rich_text(block) for block in blocks]
    notified = _slack_mentions(body["text"])
    return Seen(
        "\n\n".join(text for text, _, _ in seen),
        tuple(link for _, links, _ in seen for link in links),
        (*notified, *(each for _, _, mentions in seen for each in mentions)),
    )


def _slack_mentions(text: str) -> list[str]:
    return re.findall(r"<[@!#][^>]*>", text)


def _rich_text(block: dict[str, Any]) -> tuple[str, list[str], list[str]]:
    if block.get("type") != "rich_text" or set(block) - {"type", "elements", "block_id"}:
        raise BadMessageError("invalid_blocks")
    texts, links, mentions = [], [], []
    for section in block["elements"]:
        if section.get("type") != "rich_text_section" or not section["elements"]:
            raise BadMessageError("invalid_blocks")
        for element in section["elements"]:
            match element:
                case {"type": "text", "text": str(text)} if text:
                    texts.append(text)
                case {"type": "link", "url": str(url), "text": str(text)} if url and text:
                    texts.append(text)
                    links.append(url)
                case {"type": "user" | "usergroup" | "channel" | "broadcast" as kind}:
                    mentions.append(kind)
                case _:
                    raise BadMessageError("invalid_blocks")
    if len("".join(texts)) > 3000:
        raise BadMessageError("msg_blocks_too_long")
    return "".join(texts), links, mentions


def discord_seen(body: Mapping[str, Any]) -> Seen:
    content = body.get("content")
    if not isinstance(content, str) or not content:
        raise BadMessageError("50006")
    if len(content.encode("utf-16-le")) // 2 > 2000:
        raise BadMessageError("50035")
    seen = markdown_seen(content)
    allowed = body.get("allowed_mentions", {"parse": ["everyone", "users", "roles"]})
    # Without a ping it still shows as a mention; `@everyone` is plain then.
    shown = [each for each in seen.mentions if allowed["parse"] or each.startswith("<")]
    return Seen(seen.text, seen.links, tuple(shown))


def feishu_seen(body: Mapping[str, Any]) -> Seen:
    if body.get("msg_type") != "post":
        raise BadMessageError("19002")
    [post] = body["content"]["post"].values()
    nodes = list(_feishu_nodes(post["content"]))
    return Seen(
        "".join(text for text, _, _ in nodes),
        tuple(link for _, link, _ in nodes if link),
        tuple(mention for _, _, mention in nodes if mention),
    )


def _feishu_nodes(paragraphs: list[list[Any]]) -> Iterator[tuple[str, str, str]]:
    for number, paragraph in enumerate(paragraphs):
        if number:
            yield "\n", "", ""
        for node in paragraph:
            match node:
                case {"tag": "text", "text": str(text)} if not node.get("un_escape"):
                    yield text, "", ""
                case {"tag": "a", "text": str(text), "href": str(href)} if text and href:
                    yield text, href, ""
                case {"tag": "at", "user_id": str(user)}:
                    yield "", "", user
                case _:
                    raise BadMessageError("19002")


def dingtalk_seen(body: Mapping[str, Any]) -> Seen:
    match body:
        case {"msgtype": "markdown", "markdown": {"title": str(title), "text": str(text)}} if title:
            seen = markdown_seen(text)
        case _:
            raise BadMessageError("400105")
    at = body.get("at", {})
    named = (*at.get("atMobiles", ()), *at.get("atUserIds", ()), *["all"] * at.get("isAtAll", 0))
    return Seen(seen.text, seen.links, named)


def wecom_seen(body: Mapping[str, Any]) -> Seen:
    if body.get("msgtype") != "text":
        raise BadMessageError("40008")
    content: str = body["text"]["content"]
    mentions = re.findall(r"<@[^>]+>", content)
    named = [
        *body["text"].get("mentioned_list", ()),
        *body["text"].get("mentioned_mobile_list", ()),
    ]
    if len(content.encode()) > 2048:
        raise BadMessageError("45002")
    links = re.findall(r"https?://[!-~]+", content)
    # Nobody sees a word joiner.
    return Seen(content.replace("<\u2060@", "<@"), tuple(links), (*mentions, *named))


def ntfy_seen(body: Mapping[str, Any]) -> Seen:
    match body:
        case {"topic": str(), "title": str(title), "message": str(message)} if message:
            pass
        case _:
            raise BadMessageError("40024")
    if len(message.encode()) > 4096:
        raise BadMessageError("41301")
    if body.get("markdown"):
        return markdown_seen(message)
    click = body.get("click")
    return Seen(f"{title}\n{message}", (str(click),) if click else ())


def apprise_seen(body: Mapping[str, Any]) -> Seen:
    """What apprise's `json://` posts: a receiver of one's own."""
    return Seen(f"{body['title']}\n{body['message']}")


READERS: Final[Mapping[str, Callable[[Mapping[str, Any]], Seen]]] = {
    "slack": slack_seen,
    "discord": discord_seen,
    "feishu": feishu_seen,
    "dingtalk": dingtalk_seen,
    "wecom": wecom_seen,
    "ntfy": ntfy_seen,
    "apprise": apprise_seen,
}
