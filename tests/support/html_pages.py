"""HTML as browsers read it, with HTML5's own rules for what is broken."""

from __future__ import annotations

from selectolax.lexbor import LexborHTMLParser


class HtmlPage:
    """A parsed page or fragment, to be asked by CSS selectors."""

    def __init__(self, html: str) -> None:
        self._parser = LexborHTMLParser(html)

    def texts(self, selector: str) -> list[str]:
        """What can be read in each of these."""
        return [node.text() for node in self._parser.css(selector)]

    def values(self, selector: str, name: str) -> list[str | None]:
        """An attribute of each of these."""
        return [node.attributes.get(name) for node in self._parser.css(selector)]

    def elements(self) -> list[str]:
        """The names of all elements, in their order."""
        return [str(node.tag) for node in self._parser.css("body *")]

    def attributes(self) -> set[str]:
        """The names of all attributes there are."""
        return {name for node in self._parser.css("*") for name in node.attributes}

    def count(self, selector: str) -> int:
        return len(self._parser.css(selector))
