"""No module but egress opens a way out of the house (T3, finding 11)."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[2] / "src" / "clawfeed"

# Modules that can speak to the network on their own.
CLIENTS = frozenset(
    {"aiohttp", "httpx", "requests", "urllib3", "urllib.request", "http.client", "socket"}
    | {"smtplib", "ftplib", "imaplib", "poplib", "telnetlib", "xmlrpc.client", "websockets"}
    | {"aiosmtplib", "pycurl", "socketserver", "yarl"}
)
# Functions of modules that are welcome otherwise.
CALLS = frozenset({"open_connection", "create_connection", "open_unix_connection", "sock_connect"})
# What a socket does to go out; a listener does none of it.
DIALS = frozenset({"connect_ex", "sendto", "sendmsg", "getaddrinfo", "gethostbyname"})
# egress is the door; the simulator plays the world outside.
EXEMPT = {"egress": CLIENTS | CALLS | DIALS, "simulator": CALLS}
# These take calls: the port people come in by, and the simulated world's. Both need the module
# `socket` for it; `test_a_listener_never_dials` holds them to taking calls.
LISTENERS = (
    Path("app") / "processes" / "http_server.py",
    Path("app") / "processes" / "listening.py",
    Path("simulator") / "serving" / "http.py",
)
# Runs where no socket can be opened, and hands what `requests` is asked for to egress, over a pipe;
# `tests/publish/channel_types/test_apprise.py` holds it to that.
WALLED_IN = Path("publish") / "apprise_worker.py"


def _imported(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _ways_out(tree: ast.AST) -> set[str]:
    names = {name for found in _imported(tree) for name in _prefixes(found)}
    attributes = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    called = attributes | {name.rpartition(".")[2] for name in _imported(tree)}
    dynamic = {
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    loads = "import_module" in called or any(
        isinstance(node, ast.Name) and node.id == "__import__" for node in ast.walk(tree)
    )
    return (names & CLIENTS) | (called & (CALLS | DIALS)) | (dynamic & CLIENTS if loads else set())


def _prefixes(name: str) -> Iterator[str]:
    parts = name.split(".")
    yield from (".".join(parts[:length]) for length in range(1, len(parts) + 1))


def _exempt(module: Path) -> frozenset[str]:
    listening = frozenset({"socket"}) if module in LISTENERS else frozenset()
    walled_in = frozenset({"requests"}) if module == WALLED_IN else frozenset()
    return EXEMPT.get(module.parts[0], frozenset()) | listening | walled_in


def _tree(module: Path) -> ast.AST:
    return ast.parse((SOURCE / module).read_text(encoding="utf-8"))


def test_only_egress_can_reach_the_network() -> None:
    modules = sorted(path.relative_to(SOURCE) for path in SOURCE.rglob("*.py"))

    ways = {str(module): _ways_out(_tree(module)) - _exempt(module) for module in modules}

    assert {module: out for module, out in ways.items() if out} == {}


@pytest.mark.parametrize("module", LISTENERS, ids=str)
def test_a_listener_never_dials(module: Path) -> None:
    attributes = {n.attr for n in ast.walk(_tree(module)) if isinstance(n, ast.Attribute)}

    assert not attributes & (CALLS | DIALS | {"connect"})


@pytest.mark.parametrize(
    "code",
    [
        "import aiohttp",
        "import aiohttp.web as web",
        "from urllib import request",
        "from urllib.request import urlopen",
        "def f():\n    import http.client",
        "import asyncio\nasyncio.open_connection('h', 1)",
        "from asyncio import open_connection as o",
        "import importlib\nimportlib.import_module('httpx')",
        "__import__('socket')",
    ],
)
def test_the_check_itself_sees_every_way_out(code: str) -> None:
    assert _ways_out(ast.parse(code))


def test_the_check_leaves_honest_modules_alone() -> None:
    tree = ast.parse("import asyncio\nfrom urllib.parse import quote\nfrom http import HTTPStatus")

    assert _ways_out(tree) == set()
