"""A source type is named by its own files alone: nobody else keeps a list of types."""

from __future__ import annotations

import ast
from pathlib import Path

from clawfeed.sources.source_types.built_in import BUILT_IN

HOUSE = Path(__file__).parents[2] / "src" / "clawfeed"
NAMES = {name for each in BUILT_IN for name in BUILT_IN.names(each.name)}
# What may say a type's name, and why.
ALLOWED = (
    "sources/source_types/",  # the descriptors
    "simulator/",  # plays the other side, and knows one source of each type
    "app/starter_pack.py",  # the sources that a fresh database holds
    "api/sources/source_schemas.py",  # examples in the API's own description
    "api/sources/source_requests.py",
    "api/items/item_schemas.py",
)
# Fetchers, which name their own types and kinds of document.
OWN = {"hackernews", "reddit", "github_trending", "custom_api", "feed"}
# "rss" is also a word of other languages: of OPML, of XML's namespaces, and of
# `source_stats.source_type` (S004-1).
OTHER_MEANING = {
    ("rss", "opml"),
    ("rss", "feed_element_names"),
    ("rss", "type_facts"),
    ("rss", "due_sources"),
    ("rss", "output_feeds"),  # the ending of a feed's address
    ("rss", "topics"),  # a word that names no topic
}


def test_no_room_keeps_a_list_of_types() -> None:
    found = [
        f"{path.relative_to(HOUSE)}:{node.lineno} {node.value}"
        for path in sorted(HOUSE.rglob("*.py"))
        if not str(path.relative_to(HOUSE)).startswith(ALLOWED) and path.stem not in OWN
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and (node.value in NAMES or node.value == "twitter_")
        and (node.value, path.stem) not in OTHER_MEANING
    ]

    assert found == []


def test_nobody_has_a_table_of_types_by_default_but_who_loads_the_settings() -> None:
    """A caller who forgets it would read every type as a plug-in's, and nobody would notice."""
    found = {
        f"{path.relative_to(HOUSE)}:{place}"
        for path in sorted(HOUSE.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        for place in _defaults_to_types(node)
    }

    of_editions = {"api/editions/reader_settings.py:types"}
    assert found - of_editions == {"app/settings/config_loading.py:load_config"}


def _defaults_to_types(node: ast.AST) -> list[str]:
    """Functions with a default for `types`, and values with one for it or for what needs it."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        plain = [*node.args.posonlyargs, *node.args.args]
        given = [*plain[len(plain) - len(node.args.defaults) :]] if node.args.defaults else []
        given += [
            each
            for each, default in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
            if default
        ]
        return [node.name for each in given if each.arg in {"types", "intervals"}]
    if not (isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)):
        return []
    is_default = node.value is not None and (
        not isinstance(node.value, ast.Call)
        or any("default" in (option.arg or "") for option in node.value.keywords)
    )
    is_theirs = node.target.id in {"types", "intervals"}
    return [node.target.id] if is_default and is_theirs else []
