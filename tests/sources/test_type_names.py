"""A source type is named by its own files alone: nobody else keeps a list of types.

Nor does anybody build a name from a type's: `reddit_base_url` in the house's settings would be one
more place to edit for each type.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from clawfeed.sources.source_types.built_in import BUILT_IN
from clawfeed.sources.source_types.source_type import FetcherKit, settings_of

HOUSE = Path(__file__).parents[2] / "src" / "clawfeed"
NAMES = {name for each in BUILT_IN for name in BUILT_IN.names(each.name)}
SETTING_NAMES = {setting.name.lower() for setting in settings_of(BUILT_IN)}
# What may say a type's name, and why.
ALLOWED = (
    "sources/source_types/",  # the descriptors
    "simulator/",  # plays the other side, and knows one source of each type
    "app/demo/",  # tells the types where that other side is
    "app/starter_pack.py",  # the sources that a fresh database holds
    "api/sources/source_schemas.py",  # examples in the API's own description
    "api/sources/source_requests.py",
    "api/items/item_schemas.py",
    # X is more than its types: people let us in there, and reads are counted and rationed.
    "sources/x/",
    "app/wiring/x.py",
    "app/settings/x_reads.py",
    "web/texts/x_account.py",
)
# Fetchers and what may be set of their sources, which name their own types and kinds of document.
OWN = {"hackernews", "reddit", "github_trending", "custom_api", "feed", "website"}
# "rss" is also a word of other languages: of OPML, of XML's namespaces, and of
# `source_stats.source_type` (S004-1).
OTHER_MEANING = {
    ("rss", "opml"),
    ("rss", "feed_element_names"),
    ("rss", "type_facts"),
    ("rss", "due_sources"),
    ("rss", "feed_rss"),  # what we write ourselves
    ("rss", "output_feeds"),  # the ending of a feed's address
    ("rss", "arguments"),  # the ending of anybody's
    ("rss", "topics"),  # a word that names no topic
    ("reddit", "news_outlets"),  # a host that is none
}


def test_no_room_keeps_a_list_of_types_nor_builds_a_name_from_one() -> None:
    found = [
        f"{path.relative_to(HOUSE)}:{line} {word}"
        for path in sorted(HOUSE.rglob("*.py"))
        if not str(path.relative_to(HOUSE)).startswith(ALLOWED) and path.stem not in OWN
        for line, word in words_of(path.read_text(encoding="utf-8"))
        for name in named_in(word)
        if (name, path.stem) not in OTHER_MEANING
    ]

    assert found == []


def test_what_every_builder_is_handed_names_no_site() -> None:
    """Else each type with a wish of its own would be one more field for all the others."""
    tree = ast.parse((HOUSE / "sources" / "source_types" / "source_type.py").read_text("utf-8"))
    modules = [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    words = [*modules, *(_word(node) for node in ast.walk(tree)), *FetcherKit.__annotations__]

    parts = {part for word in words for part in re.split(r"[\W_]+", word.lower())}
    assert "turns" in parts
    assert parts & {"x", "twitter", "reddit", "hackernews", "github"} == set()


@pytest.mark.parametrize(
    "code",
    [
        'TYPES = ("rss", "website")',
        'PREFIX = "twitter_"',
        "github_trending_base_url: str",
        "def poll_reddit(): ...",
        "class CustomApiConfig: ...",
        "place = settings.hackernews_base_url",
        "open_egress(reddit_client_id=1)",
        'Setting("GITHUB_TRENDING_BASE_URL", "sources.base_url")',
        'Setting("BASE_URL", "sources.digest_feed_key")',
        "x_bridges: tuple[str, ...]",
        'environ["X_BEARER_TOKEN"]',
    ],
)
def test_a_name_built_from_a_types_name_is_found(code: str) -> None:
    assert [name for _, word in words_of(code) for name in named_in(word)] != []


def test_a_sentence_a_descriptor_and_a_longer_word_are_no_such_names() -> None:
    code = """
from clawfeed.sources.source_types.website import WEBSITE
known = types.key(WEBSITE.name)
raise ConfigError("set X_BRIDGES, or follow it as rss")
across = websites + crossed + max_bridges
"""

    assert [name for _, word in words_of(code) for name in named_in(word)] == []


def named_in(word: str) -> list[str]:
    """The types, and the settings of types, whose names *word* is or is built from."""
    plain = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", word).lower()
    within = [name for name in NAMES if re.search(rf"(?<![a-z0-9]){name}(?![a-z0-9])", plain)]
    of_settings = [name for name in SETTING_NAMES if name == plain.rpartition(".")[2]]
    return [*within, *of_settings, *(["twitter_"] if plain == "twitter_" else [])]


def words_of(code: str) -> Iterator[tuple[int, str]]:
    """Each identifier with its line, and each text that is one word; descriptors are left out."""
    tree = ast.parse(code)
    descriptors = {
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        and (node.module or "").startswith("clawfeed.sources.source_types")
        for alias in node.names
    }
    for node in ast.walk(tree):
        word = _word(node)
        if word and re.fullmatch(r"[\w.]+", word) and word not in descriptors:
            yield getattr(node, "lineno", 0), word


def _word(node: ast.AST) -> str:
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name):
            return name
        case ast.keyword(arg=str(name)):
            return name
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return name
    return ""


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
