"""Blocks as plain text, for channels without markup."""

from __future__ import annotations

from collections.abc import Sequence

from clawfeed.publish.chat_edition import Block, Span


def plain_text(blocks: Sequence[Block], between: str = "\n\n") -> str:
    """Lines as they are; an address stands behind what leads there."""
    return between.join("\n".join("".join(map(_span, line)) for line in block) for block in blocks)


def _span(span: Span) -> str:
    return f"{span.text} {span.link}" if span.link else span.text
