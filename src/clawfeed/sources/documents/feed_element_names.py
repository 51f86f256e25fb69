"""What an element of a feed is called, whichever way its namespace is written.

Names are given as people write them ("content:encoded", "dc:date"); the feed's own have no prefix.
So `x:title` is no `title`, wherever it stands.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

# Without scheme, "www." and the last "/" or "#", about which generators differ.
_NAMESPACES: Final = {
    "w3.org/2005/atom": "atom",
    "purl.org/atom/ns": "atom",
    "purl.org/rss/1.0/modules/content": "content",
    "purl.org/dc/elements/1.1": "dc",
    "purl.org/dc/elements/1.0": "dc",
    "purl.org/dc/terms": "dcterms",
    "search.yahoo.com/mrss": "media",
    "itunes.com/dtds/podcast-1.0.dtd": "itunes",
    "w3.org/1999/xhtml": "xhtml",
    "w3.org/1999/02/22-rdf-syntax-ns": "rdf",
    "purl.org/rss/1.0/modules/syndication": "sy",
}
_CONVENTIONAL: Final = frozenset(_NAMESPACES.values())
# Those in which somebody wrote plain RSS.
_RSS: Final = frozenset(
    {
        "purl.org/rss/1.0",
        "my.netscape.com/rdf/simple/0.9",
        "channel.netscape.com/rdf/simple/0.9",
        "purl.org/net/rss1.1",
        "backend.userland.com/rss",
        "backend.userland.com/rss2",
        "backend.userland.com/rss091",
        "blogs.law.harvard.edu/tech/rss",
        "cyber.law.harvard.edu/rss/rss.html",
        "rssboard.org/rss-specification",
    }
)
FOREIGN_NAME: Final = ""


def split_tag(tag: str) -> tuple[str, str]:
    """The namespace and the local name of lxml's "{namespace}name"."""
    space, brace, name = tag.rpartition("}")
    return (space[1:], name) if brace else ("", name)


# Longer names are nobody's; a bound on what is remembered.
LONGEST_TAG: Final = 200


def name_of(tag: str, own: str) -> str:
    """The name of an element, with *own* as the namespace of the feed itself; or `FOREIGN_NAME`.

    In lower case: "pubdate" is a common slip.
    """
    return _name_of(tag, own) if len(tag) <= LONGEST_TAG else FOREIGN_NAME


@lru_cache(maxsize=2048)
def _name_of(tag: str, own: str) -> str:
    space, name = split_tag(tag)
    name = name.lower()
    if not space:
        # A prefix that was never declared stays in the name.
        prefix, colon, local = name.rpartition(":")
        if not colon:
            return name
        if prefix == "rss":
            return local
        return f"{prefix}:{local}" if prefix in _CONVENTIONAL else FOREIGN_NAME
    place = _place(space)
    if space == own or place in _RSS:
        return name
    prefix = _NAMESPACES.get(place, "")
    return f"{prefix}:{name}" if prefix else FOREIGN_NAME


def _place(space: str) -> str:
    _, _, rest = space.strip().lower().rpartition("://")
    return rest.removeprefix("www.").rstrip("/#")
