"""What runs inside a parse process: one job after the other, within limits, until its pipe ends."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import datetime
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO, Final, TypeAlias, cast

from clawfeed.sources.documents import article
from clawfeed.sources.documents.errors import UnreadableError
from clawfeed.sources.documents.feed import FeedDocument, parse_feed
from clawfeed.sources.documents.opml import parse_opml
from clawfeed.sources.documents.text_cleaning import load_codecs
from clawfeed.sources.documents.web_page import PageDocument, parse_page
from clawfeed.sources.parsing.protocol import (
    LENGTH,
    OUR_BUG,
    READY_MARK,
    UNREADABLE_MARK,
    pack,
    pack_request,
    pack_result,
    unpack_request,
)
from clawfeed.sources.parsing.sandbox import close_doors

if sys.platform != "win32":  # there the parent's clock is the only limit
    import resource

# A third of the weight of others: enough to be the last, not so little as to starve on a machine
# that is busy with something else.
NICENESS: Final = 5


def _feed(body: bytes, options: Mapping[str, Any]) -> FeedDocument:
    return parse_feed(
        body,
        content_type=options["content_type"],
        base_url=options["base_url"],
        now=datetime.fromisoformat(options["now"]),
        keys=options["keys"],
    )


def _page(body: bytes, options: Mapping[str, Any]) -> PageDocument:
    return parse_page(body, options["content_type"], options["base_url"])


# Gets the body and the caller's options, returns a dataclass or a list, and raises
# `UnreadableError` for their faults.
Parser: TypeAlias = Callable[[bytes, Mapping[str, Any]], object]


def parser(reference: str) -> Parser:
    """The function that a source type names as "module:function"."""
    module, _, name = reference.partition(":")
    return cast("Parser", getattr(import_module(module), name))


def parsers(documents: Mapping[str, str]) -> dict[str, Parser]:
    """The reader of each kind of document: those of no type in particular, then *documents*."""
    own: dict[str, Parser] = {"feed": _feed, "page": _page, "opml": parse_opml}
    return {**own, **{kind: parser(reference) for kind, reference in documents.items()}}


KINDS: Final = parsers({})


def main(cpu_seconds: int, memory_bytes: int, documents: Mapping[str, str]) -> None:
    """Serve the jobs that arrive on standard input; end with it.

    *documents* are the kinds that source types bring, each with its "module:function".

    Ctrl-C and a polite stop are the parent's business: it finishes what is under way, then closes
    the pipe, so neither may end us in the middle of a job.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    _step_back()
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # a stray print of a library must not reach the frames
    kinds = {**KINDS, **parsers(documents)}
    _load(kinds)
    close_doors(memory_bytes)
    answers.write(pack(READY_MARK))
    answers.flush()
    while (request := _read_frame(requests)) is not None:
        _allow_cpu(cpu_seconds)
        answers.write(answer(request, kinds))
        answers.flush()


def answer(request: bytes, kinds: Mapping[str, Parser] = KINDS) -> bytes:
    """The answer to one request, as a frame.

    Only running out of memory escapes: then the process is not to be trusted with another job.
    """
    try:
        kind, options, body = unpack_request(request)
        return pack_result(kinds[kind](body, options))
    except MemoryError:
        raise
    except UnreadableError as error:
        return pack(UNREADABLE_MARK, str(error).encode("utf-8", "replace"))
    except Exception as error:  # noqa: BLE001 - a bug of ours costs this job, not the process
        return pack(OUR_BUG, type(error).__name__.encode())


def _read_frame(stream: BinaryIO) -> bytes | None:
    head = stream.read(LENGTH.size)
    if len(head) < LENGTH.size:
        return None
    return stream.read(LENGTH.unpack(head)[0])


def _load(kinds: Mapping[str, Parser] = KINDS) -> None:
    """Load all that a job may need, by doing jobs: parsers import and cache on first use."""
    load_codecs()
    now = "2026-01-01T00:00:00+00:00"
    options = {"content_type": "", "base_url": "http://localhost/", "now": now, "keys": ""}
    item = (
        b"<item><title>t</title><pubDate>some day</pubDate><description>&lt;p></description></item>"
    )
    feed = b"<rss><channel>%s</channel></rss>" % item
    for warm_up in (feed, b"<!DOCTYPE rss [<!ENTITY a 'b'>]>" + feed, feed[:-9] + b"<x"):
        answer(pack_request("feed", warm_up, options)[LENGTH.size :])
    answer(pack_request("page", b"<title>t</title>", options)[LENGTH.size :])
    if article.KIND in kinds:
        answer(pack_request(article.KIND, article.WARM_UP, options)[LENGTH.size :], kinds)


def _step_back() -> None:
    """Let the collector go first when both want a processor.

    Parsing is the one stage that can always wait. As equals, the workers empty their queue while
    fetching and storing stand still, then these work while the workers have nothing: a third of
    the machine was idle. Linux weighs sessions before processes, and we are a session of our own.
    """
    if sys.platform == "win32":
        return
    os.nice(NICENESS)
    with suppress(OSError):  # not Linux, or a kernel without groups
        Path("/proc/self/autogroup").write_text(str(NICENESS), encoding="ascii")


def _allow_cpu(seconds: int) -> None:
    """Give the next job its share of processor time; beyond it the kernel ends the process."""
    if sys.platform == "win32":
        return
    used = resource.getrusage(resource.RUSAGE_SELF)
    limit = int(used.ru_utime + used.ru_stime) + 1 + seconds
    resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.RLIM_INFINITY))
