"""Which libraries are installed, and whether known holes are open in one: what `doctor` says."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version

from clawfeed.app.doctor_findings.finding import Finding, ok, problem

# Below these, known holes are open (docs/decisions/0005-dependencies.md).
SAFETY_FLOORS = {
    "aiohttp": "3.14.3",
    "lxml": "6.1.0",
    "starlette": "1.3.1",
    "brotli": "1.2.0",
    "jinja2": "3.1.6",
    "h11": "0.16.0",
}
PARSERS = ("feedparser", "turbohtml", "ada-url")


def libraries() -> Iterator[Finding]:
    for name, floor in SAFETY_FLOORS.items():
        found = _version(name)
        if found is None:
            yield problem(name, "is not installed: run make setup")
        elif _numbers(found) < _numbers(floor):
            yield problem(name, f"{found} has known holes: {floor} or newer is safe")
        else:
            yield ok(name, found)
    for name in PARSERS:
        found = _version(name)
        yield ok(name, found) if found else problem(name, "is not installed: run make setup")
    yield _full_text()


def _full_text() -> Finding:
    """Whether editions can read the articles behind teasers; nobody has to want it."""
    from clawfeed.sources.documents.article import is_available

    if is_available():
        return ok("full text", f"trafilatura {_version('trafilatura')} reads articles in full")
    text = "is off, editions use what feeds carry: pip install 'clawfeed[fulltext]' turns it on"
    return ok("full text", text)


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _numbers(text: str) -> tuple[int, ...]:
    """The leading numbers of a version, enough to compare with a floor."""
    parts = text.split(".")
    return tuple(int(part) for part in parts[:3] if part.isdigit())
