"""An edition as one file of a repository: Markdown with front matter, under a name of its own."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Final

from clawfeed.domain.editions.digest import DigestContent
from clawfeed.rendering.markdown import escaped, render_markdown
from clawfeed.rendering.safe_text import JOINER, one_line, safe_link

_NOT_IN_NAMES: Final = re.compile(r"[^a-z0-9]+")
# `escaped` put the backslash there. GitHub looks for names and numbers of issues in the text that
# CommonMark has read, so the escape alone keeps neither from being one.
_CALLS: Final = re.compile(r"\\(?:@|#(?=\d))")


def render_file(content: DigestContent, *, edition_id: int, link: str) -> str:
    """The file: what programs want to know of the edition, then the edition for people."""
    head = "".join(f"{line}\n" for line in _front_matter(content, edition_id, link))
    return f"---\n{head}---\n\n{_calling_nobody(render_markdown(content))}"


def render_notice_file(title: str, lines: Sequence[str], link: str) -> str:
    """A short word as a file."""
    texts = [f"# {escaped(one_line(title))}", *(escaped(one_line(line)) for line in lines)]
    address = safe_link(link)
    if address:
        texts.append(f"<{address}>")
    return _calling_nobody("\n\n".join(filter(None, texts)) + "\n")


def file_name(content: DigestContent) -> str:
    """Where it lies below its folder, such as `2026/2026-11-18-daily.md`: no stranger's word."""
    name = slug(f"{content.period}-{content.type}")
    year = name[:4] if name[:4].isdigit() else f"{content.covers_until:%Y}"
    return f"{year}/{name}.md"


def slug(text: str) -> str:
    """*text* as a name that is harmless in every path: `a-z`, `0-9` and `-`, 80 at most."""
    return _NOT_IN_NAMES.sub("-", text.lower())[:80].strip("-") or "edition"


def _front_matter(content: DigestContent, edition_id: int, link: str) -> Iterator[str]:
    numbers = content.numbers
    yield f"title: {_scalar(one_line(content.title))}"
    yield f"date: {content.made_at.isoformat(timespec='seconds')}"
    yield f"type: {_scalar(content.type)}"
    yield f"period: {_scalar(one_line(content.period))}"
    yield f"language: {_scalar(one_line(content.language))}"
    yield f"covers_from: {content.covers_from.isoformat(timespec='seconds')}"
    yield f"covers_until: {content.covers_until.isoformat(timespec='seconds')}"
    yield f"items: {numbers.items}"
    yield f"sources: {numbers.sources}"
    yield f"stories: {numbers.stories}"
    yield f"minutes: {numbers.minutes}"
    address = safe_link(link)
    if address:
        yield f"link: {_scalar(address)}"
    yield f"clawfeed_edition: {edition_id}"


def _scalar(text: str) -> str:
    """JSON's string is one of YAML's. Without braces, what reads files as templates finds none."""
    return json.dumps(text, ensure_ascii=False).replace("{", "\\u007b").replace("}", "\\u007d")


def _calling_nobody(markdown: str) -> str:
    return _CALLS.sub(lambda found: found[0] + JOINER, markdown)
