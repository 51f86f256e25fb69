"""What the pages say: all of it from one table, in both languages."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from string import Formatter

import pytest
from selectolax.lexbor import LexborHTMLParser

import clawfeed.web
from clawfeed.domain import errors
from clawfeed.domain.errors import RefusalCode
from clawfeed.domain.wording.because_wording import Language
from clawfeed.publish.channel_types.built_in import BUILT_IN
from clawfeed.web.frame.flash import Done
from clawfeed.web.texts.all_texts import AREAS, TEXTS, say_in

WEB = Path(clawfeed.web.__file__).parent
HOUSE = WEB.parent
TEMPLATES = sorted((WEB / "templates").rglob("*.html"))
JINJA = re.compile(r"\{% block width %\}\w+|\{#.*?#\}|\{%.*?%\}|\{\{.*?\}\}", re.DOTALL)
# Names that are the same in every language; commands stand in <code>, keys in <kbd>.
NAMES = {"ClawFeed", "j", "k", "o", "m"}
# Rooms whose refusals no page shows: `make house` keeps them apart from the pages.
NOT_UNDER_PAGES = {"api", "cli", "simulator"}
# Who else refuses in a sentence alone: the file and the function, and why no page shows it.
COMMAND, KEY, PROGRAM = "only a command asks", "a browser has no key", "only programs send it"
BARE = {
    ("app/backtest_history.py", "stored_traces"): COMMAND,
    ("app/collect_once.py", "_claim_now"): COMMAND,
    ("auth/keys_and_tokens.py", "make_key"): COMMAND,
    ("auth/people_admin.py", "_require_a_person"): KEY,
    ("auth/recent_sign_in.py", "require_freshness"): KEY,
    ("auth/request_validation.py", "require_json"): PROGRAM,
    ("domain/editions/edition.py", "check_move"): "a step, which is no person's",
    ("domain/pagination.py", "numbers_in"): PROGRAM,
    ("domain/since_parameter.py", "parse_since"): PROGRAM,
    ("sources/discovery/resolution.py", "__init__"): "told by its reason, which is a code",
    ("storage/drivers/sqlite_backup.py", "_copy"): COMMAND,
    ("storage/drivers/sqlite_backup.py", "back_up"): COMMAND,
    ("storage/drivers/sqlite_backup.py", "examine"): COMMAND,
    ("storage/drivers/sqlite_backup.py", "restore"): COMMAND,
    ("storage/idempotency.py", "_check_quota"): PROGRAM,
    ("storage/people/api_keys.py", "_check_parent"): KEY,
    ("storage/people/oidc_identities.py", "add"): "a sign-in says one sentence for all of them",
    ("web/operations/event_stream.py", "held"): "the script of a page asks, and shows no answer",
}
# What a refusal is given beside the parts of its text.
NO_PARTS = {"field", "headers", "status", "told"}
# They take the code that they are given.
TELLERS = {"UserError", "RefusedError"}
# What is asked for with a key that is put together, such as `theme.` and a theme.
FAMILIES = re.compile(r"""["'](\w+\.)["'] ~|["'](\w+\.)\{|f"(\w+\.)\{""")


def test_every_text_has_both_languages_and_the_same_parts() -> None:
    for key, text in TEXTS.items():
        parts = [sorted(set(_parts(each))) for each in (text.en, text.zh, text.one or text.en)]
        assert all((text.en, text.zh)), key
        assert parts[0] == parts[1] == parts[2], key
    assert max(Counter(key for area in AREAS for key in area).values()) == 1


def test_every_kind_of_channel_says_its_name_and_what_it_needs() -> None:
    wanted = {
        f"{part}.{each.kind}" for each in BUILT_IN for part in ("channel_kind", "channel_needs")
    }

    assert wanted - set(TEXTS) == set()


def _parts(text: str) -> list[str]:
    return [name for _, name, _, _ in Formatter().parse(text) if name is not None]


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.stem)
def test_a_template_has_no_words_of_its_own(path: Path) -> None:
    """Neither to be read nor to be read out; and takes nothing for markup that is text."""
    source = path.read_text(encoding="utf-8")
    tree = LexborHTMLParser(JINJA.sub(" ", source))
    for node in tree.css("code, title"):
        node.remove()
    body = tree.body
    assert body is not None

    own = set(re.findall(r"\w+", body.text(separator=" "))) - NAMES
    spoken = [
        node.attributes.get(name) or ""
        for name in ("aria-label", "title", "placeholder", "alt", "data-confirm", "data-copy")
        for node in tree.css(f"[{name}]")
    ]

    assert own == set()
    assert [text for text in spoken if text.strip()] == []
    assert re.search(r"\|\s*safe|Markup\(|autoescape", source) is None


def test_every_key_that_is_asked_for_is_there_and_every_key_is_asked_for() -> None:
    code_of_pages = [each for each in WEB.rglob("*.py") if each.parent.name != "texts"]
    sources = [*TEMPLATES, *code_of_pages]
    code = "\n".join(path.read_text(encoding="utf-8") for path in sources)
    asked = set(re.findall(r"""\b(?:t|say)\(["']([\w.]+)["'][,)]""", code))
    families = {found for groups in FAMILIES.findall(code) for found in groups if found}
    named = set(re.findall(r"""["'](\w+\.[\w.]+)["']""", code))

    assert asked - set(TEXTS) == set()
    unused = {
        key for key in TEXTS if key not in named and f"{key.partition('.')[0]}." not in families
    }
    assert unused == set()
    assert {f"done.{done}" for done in Done} <= set(TEXTS)
    assert {f"refusal.{each}" for each in RefusalCode} == {
        key for key in TEXTS if key.startswith("refusal.")
    }


def test_whoever_refuses_gives_the_parts_of_what_pages_say() -> None:
    """A part that is missing would show on Chinese pages alone, where nobody of us looks."""
    given = [
        (f"{path.relative_to(HOUSE).as_posix()}:{line}", code, parts)
        for path in sorted(HOUSE.rglob("*.py"))
        for line, code, parts in _codes(ast.parse(path.read_text(encoding="utf-8")))
    ]
    wanted = [
        (place, code, set(_parts(TEXTS[f"refusal.{RefusalCode[code]}"].zh)))
        for place, code, _ in given
    ]

    assert {code for _, code, _ in given} == {each.name for each in RefusalCode}
    assert given == wanted


def _codes(tree: ast.Module) -> Iterator[tuple[int, str, set[str]]]:
    """Every code that is named: the line, the code, and the parts that its call gives beside it.

    Outside of a call (in a table, as a default, as its family's usual one) it comes without any.
    """
    # Calls are met from the outside in, so that each code ends up with the nearest one.
    call_of = {
        inner: call
        for call in ast.walk(tree)
        if isinstance(call, ast.Call)
        for each in (*call.args, *(keyword.value for keyword in call.keywords))
        for inner in ast.walk(each)
    }
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=ast.Name(id="RefusalCode"), attr=code):
                keywords = call_of[node].keywords if node in call_of else []
                yield node.lineno, code, {str(each.arg) for each in keywords} - NO_PARTS


def test_a_refusal_that_a_page_can_show_has_a_code() -> None:
    """Its sentence alone would be English on every page."""
    refusals = _refusal_names()
    bare = {
        (path.relative_to(HOUSE).as_posix(), function)
        for path in HOUSE.rglob("*.py")
        if path.relative_to(HOUSE).parts[0] not in NOT_UNDER_PAGES
        for function, call in _made(ast.parse(path.read_text(encoding="utf-8")), refusals)
        if not _has_code(call)
    }

    assert refusals >= {"InvalidInputError", "OidcRefusedError", "RefusedError"}
    assert bare == set(BARE)


def _refusal_names() -> set[str]:
    """The errors that people are refused with, and all that are made from them."""
    made_from = [
        (each.name, {base.id for base in each.bases if isinstance(base, ast.Name)})
        for path in HOUSE.rglob("*.py")
        for each in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(each, ast.ClassDef)
    ]
    found = {"UserError", "HTTPException"}
    while more := {name for name, bases in made_from if bases & found} - found:
        found |= more
    return found


def _made(
    node: ast.AST, refusals: set[str], function: str = "", name: str = ""
) -> Iterator[tuple[str, ast.Call]]:
    """Each refusal that is made, or made ready by its class, with the function around it."""
    for each in ast.iter_child_nodes(node):
        match each:
            case ast.FunctionDef(name=inner) | ast.AsyncFunctionDef(name=inner):
                yield from _made(each, refusals, inner, name)
                continue
            case ast.ClassDef(name=inner):
                yield from _made(each, refusals, function, inner)
                continue
            case ast.Call(func=ast.Name(id=called)) if called in refusals:
                yield function, each
            case ast.Call(func=ast.Attribute(value=ast.Call(func=ast.Name(id="super")))):
                if name in refusals - TELLERS:
                    yield function, each
        yield from _made(each, refusals, function, name)


def _has_code(call: ast.Call) -> bool:
    """A code of its own or its family's; of what is not found pages say no more than that."""
    name = call.func.id if isinstance(call.func, ast.Name) else ""
    match name, call.args:
        case "HTTPException", [ast.Constant(value=404), *_]:
            return True
        case "HTTPException", _:
            return False
    is_told = len(call.args) > 1 or any(each.arg == "told" for each in call.keywords)
    return is_told or getattr(getattr(errors, name, None), "usual", None) is not None


def test_parts_are_escaped_and_counted() -> None:
    english, chinese = say_in(Language.ENGLISH), say_in(Language.CHINESE)

    assert english("login.with", name="<b>Me</b>") == "Sign in with &lt;b&gt;Me&lt;/b&gt;"
    assert chinese("login.with", name="Me") == "使用 Me 登录"


def test_the_script_writes_no_markup_but_the_servers() -> None:
    """(T9): one sink, behind the page's only trusted-types policy."""
    script = (WEB / "static" / "clawfeed.js").read_text(encoding="utf-8")

    assert len(script.encode()) < 10_000
    assert re.findall(r"innerHTML|outerHTML|insertAdjacent|document\.write|eval\(", script) == []
    assert script.count("parseFromString") == 1
    assert re.findall(r"https?://", script) == []
