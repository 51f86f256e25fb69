"""Names that documents, docstrings and comments put in backticks exist."""

from __future__ import annotations

import ast
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

from clawfeed.app.settings.setting_definitions import SETTINGS
from clawfeed.domain.schedule.interval import OVERRIDE_PREFIX
from clawfeed.sources.source_types.built_in import BUILT_IN

ROOT = Path(__file__).parents[2]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
SOURCE = sorted((ROOT / "src").rglob("*.py"))
# `decide_next`, `PollQueue.claim_due`, `host_queue`; neither addresses, commands nor sentences.
NAME = re.compile(r"`([A-Za-z_][\w.]*)(?:\(\))?`")
# `PollCost` in `src/.../slot_fairness.py`; `send_out` (`src/.../new_messages.py`).
WITH_MODULE = re.compile(rf"{NAME.pattern},? (?:in |\()`((?:src|tests|bench|scripts)/[\w./]+\.py)`")
# What is nobody's mistake here: words of libraries, of databases, of standards, of examples.
FOREIGN = frozenset(
    re.findall(
        r"\w+",
        """
        LISTEN NORMAL OFF aaaaaaaaaaaa abababababab acyclic_siblings
        clawfeed_sources_paused_by_error
        crit entry_frequency favorites fix foryou is_global iterparse jsonb mock patch pg_restore
        timestamptz url_relative uv
        """,
    )
)


def words_of(path: Path) -> Iterator[str]:
    """The identifiers of a module, and the words of its texts, docstrings and comments apart."""
    with path.open("rb") as file:
        for token in tokenize.tokenize(file.readline):
            if token.type == tokenize.NAME:
                yield token.string
            elif token.type == tokenize.STRING and '"""' not in token.string:
                yield from re.findall(r"\w+", token.string)


def told_in(path: Path) -> str:
    """The docstrings and comments of a module."""
    with path.open("rb") as file:
        return "\n".join(
            token.string
            for token in tokenize.tokenize(file.readline)
            if token.type == tokenize.COMMENT
            or (token.type == tokenize.STRING and '"""' in token.string)
        )


@pytest.fixture(scope="module")
def known() -> frozenset[str]:
    modules = [*SOURCE, *(ROOT / "tests").rglob("*.py"), *(ROOT / "bench").glob("*.py")]
    words = {word for module in modules for word in words_of(module)}
    words |= {part for module in modules for part in module.relative_to(ROOT).with_suffix("").parts}
    for schema in (ROOT / "src").rglob("*.sql"):
        text = re.sub(r"--.*", "", schema.read_text(encoding="utf-8"))
        words |= set(re.findall(r"\w+", text))
    words |= {f"{OVERRIDE_PREFIX}{each.name.upper()}" for each in BUILT_IN}
    words |= {setting.name for setting in SETTINGS} | make_targets()
    return frozenset(words) | FOREIGN


def members() -> dict[str, set[str]]:
    """By class: its methods and attributes, those that it inherits from ours included."""
    classes = {
        node.name: node
        for module in SOURCE
        for node in ast.walk(ast.parse(module.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef)
    }

    def of(name: str) -> set[str]:
        if name not in classes:
            return set()
        inside = {
            getattr(node, "name", "") or getattr(node, "attr", "") or getattr(node, "id", "")
            for node in ast.walk(classes[name])
        }
        return inside.union(*(of(ast.unparse(base)) for base in classes[name].bases))

    return {name: of(name) for name in classes}


def unknown_names(text: str, known: frozenset[str]) -> list[str]:
    return [
        name
        for name in NAME.findall(text)
        if name.endswith(".py") or not known.issuperset(re.findall(r"[A-Za-z_]\w+", name))
    ]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_what_a_document_names_exists(document: Path, known: frozenset[str]) -> None:
    text = re.sub(
        r"^```.*?^```", "", document.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE
    )

    assert unknown_names(text, known) == []


def test_what_docstrings_and_comments_name_exists(known: frozenset[str]) -> None:
    found = {
        str(module.relative_to(ROOT)): names
        for module in SOURCE
        if (names := unknown_names(told_in(module), known))
    }

    assert found == {}


def test_a_name_that_is_told_with_its_module_is_there() -> None:
    """`PollCost` in `src/...`, `send_out` (`src/...`): that another module knows it is no help."""
    told = [
        (document, name, module)
        for document in DOCUMENTS
        for name, module in WITH_MODULE.findall(
            re.sub(r"\s+", " ", document.read_text(encoding="utf-8"))
        )
    ]
    words = {module: set(words_of(ROOT / module)) for _, _, module in told}

    missing = [
        f"{document.relative_to(ROOT)}: {name} in {module}"
        for document, name, module in told
        if not words[module].issuperset(re.findall(r"[A-Za-z_]\w+", name))
    ]
    assert len(told) > 10
    assert missing == []


def test_a_method_belongs_to_the_class_it_is_named_with() -> None:
    classes = members()
    texts = [path.read_text(encoding="utf-8") for path in DOCUMENTS] + [*map(told_in, SOURCE)]
    named = re.findall(r"`([A-Z]\w+)\.(\w+)", "\n".join(texts))

    ours = [(owner, member) for owner, member in named if owner in classes]
    assert ("PollQueue", "claim_due") in ours
    assert [pair for pair in ours if pair[1] not in classes[pair[0]]] == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_module_is_named_by_its_whole_path(document: Path) -> None:
    """So that the test of paths sees it when it moves."""
    text = document.read_text(encoding="utf-8")

    assert re.findall(r"`(?!(?:src|tests|bench|scripts)/)[\w./]+\.py`", text) == []


def test_a_module_that_is_named_by_its_room_is_there() -> None:
    """`egress.guard`, `storage.drivers.sqlite.Writer`: but not places in the YAML file."""
    rooms = "|".join(path.parent.name for path in (ROOT / "src/clawfeed").glob("*/__init__.py"))
    named = re.compile(rf"`((?:{rooms})(?:\.[a-z_]\w*)+)")
    of_yaml = {setting.path for setting in SETTINGS} | {each.other_path for each in SETTINGS}
    texts = [(path, told_in(path)) for path in SOURCE]
    texts += [
        (path, path.read_text(encoding="utf-8")) for path in (ROOT / "pyproject.toml", *DOCUMENTS)
    ]

    missing = {
        f"{path.relative_to(ROOT)}: {name}"
        for path, text in texts
        for name in named.findall(text)
        if name not in of_yaml and not is_module(name) and not is_module(name.rpartition(".")[0])
    }

    assert missing == set()


def is_module(name: str) -> bool:
    place = ROOT / "src" / "clawfeed" / name.replace(".", "/")
    return "." in name and (place.is_dir() or place.with_suffix(".py").is_file())


def make_targets() -> set[str]:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    return set(re.findall(r"^([a-z-]+):.*##", makefile, re.MULTILINE))


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_make_target_that_is_named_exists(document: Path) -> None:
    text = document.read_text(encoding="utf-8")

    named = re.findall(r"(?:^|`)make ([a-z-]+)", text, re.MULTILINE)
    assert set(named) <= make_targets()


def test_contributing_lists_every_make_target() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    _, _, table = text.partition("| `make ...` | does |")
    rows = re.findall(r"^\| (`.+?) \| ", table.partition("\n\n")[0], re.MULTILINE)

    listed = {target for row in rows for target in re.findall(r"`([a-z-]+)`", row)}
    assert listed == make_targets() - {"help"}


def test_the_glossary_has_each_word_once_in_the_order_of_the_alphabet() -> None:
    text = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")

    words = re.findall(r"^\| ([a-z].+?) \|", text, re.MULTILINE)
    assert words == sorted(set(words))
