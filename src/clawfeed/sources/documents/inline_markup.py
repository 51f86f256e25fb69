"""The text of an element, and markup that stands in it as elements of its own, as HTML."""

from __future__ import annotations

import html
from collections.abc import Iterator
from typing import Any, Final

from lxml import etree  # type: ignore[import-untyped] # it ships no types

from clawfeed.sources.documents.feed_element_names import split_tag

_VOID: Final = frozenset({"br", "hr", "img", "wbr", "col", "area", "input", "source"})


def text_or_markup(element: Any) -> str:  # noqa: ANN401 - lxml ships no types
    """What an element holds: its text as it stands, or, with elements in it, HTML.

    A `<div>` or `<body>` around everything is no part of it (RFC 4287, 3.1.1.3).
    """
    if not len(element):
        return element.text or ""
    if _is_wrapped(element):
        element = element[0]
    return html.escape(element.text or "", quote=False) + "".join(_markup(element))


def _is_wrapped(element: Any) -> bool:  # noqa: ANN401
    if len(element) != 1 or (element.text or "").strip() or (element[0].tail or "").strip():
        return False
    return split_tag(element[0].tag)[1] in {"div", "body"}


def _markup(parent: Any) -> Iterator[str]:  # noqa: ANN401
    """Start tags, texts and end tags; elements nest as deep as they like without recursion."""
    for event, node in etree.iterwalk(parent, events=("start", "end")):
        if node is parent:
            continue
        name = split_tag(node.tag)[1].rpartition(":")[2]
        if event == "start":
            attributes = (f' {key}="{html.escape(value)}"' for key, value in node.items())
            yield f"<{name}{''.join(a for a in attributes if '{' not in a.partition('=')[0])}>"
            yield html.escape(node.text or "", quote=False)
        else:
            # "<iframe/>" is open to the end in HTML.
            yield "" if name in _VOID else f"</{name}>"
            yield html.escape(node.tail or "", quote=False)
