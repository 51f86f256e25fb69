"""Faults in correct HTTP: another answer in place of the one that was meant."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from clawfeed.simulator.faults import Fault, Misbehaviour
from clawfeed.simulator.formats import HTML_TYPE, page_of
from clawfeed.simulator.services.language_model import (
    Asked,
    invented_ids,
    lies,
    obedience,
    said_by,
    wrong_shape,
)
from clawfeed.simulator.serving.http import Headers, Request
from clawfeed.simulator.serving.responses import Answer, Content, text

PLAIN = "text/plain; charset=utf-8"
Rewrite = Callable[[Answer, Request, Misbehaviour], Answer]


def _status(answer: Answer, request: Request, how: Misbehaviour) -> Answer:
    del request
    headers: Headers = ()
    if how.location:
        headers += (("Location", how.location),)
    if how.retry_after:
        headers += (("Retry-After", how.retry_after),)
    body = how.body or f"{how.status}, as ordered\n"
    return text(body, PLAIN, status=how.status, headers=headers, feed=answer.feed)


def _redirect_loop(answer: Answer, request: Request, how: Misbehaviour) -> Answer:
    del how
    target = request.path + (f"?{request.query}" if request.query else "")
    return _redirect(answer, target)


def _redirect_chain(answer: Answer, request: Request, how: Misbehaviour) -> Answer:
    hop = int(request.parameter("hop", "0"))
    return answer if hop >= how.hops else _redirect(answer, f"{request.path}?hop={hop + 1}")


def _redirect(answer: Answer, target: str) -> Answer:
    return text("", PLAIN, status=302, headers=(("Location", target),), feed=answer.feed)


def _malformed_xml(answer: Answer, request: Request, how: Misbehaviour) -> Answer:
    del request, how
    body = answer.content().body
    return _other(answer, body[: len(body) // 2] + b"<title>&nosuchentity;</item><<", "broken")


def _html_instead(answer: Answer, request: Request, how: Misbehaviour) -> Answer:
    del request, how
    page = page_of("Just a moment...", "", "<p>Please enable JavaScript and cookies.</p>")
    return replace(_other(answer, page.encode(), "html"), content_type=HTML_TYPE)


def _wrong_charset(answer: Answer, request: Request, how: Misbehaviour) -> Answer:
    del request, how
    content = answer.content()
    wrong = content.body.decode().encode("gb18030")
    return _other(answer, wrong, "gb18030", keys=content.keys)


def _empty_body(answer: Answer, request: Request, how: Misbehaviour) -> Answer:
    del request, how
    return _other(answer, b"", "empty")


def _other_body(answer: Answer, request: Request, how: Misbehaviour) -> Answer:
    del request
    body = how.body.encode("utf-8", "surrogateescape")
    return replace(_other(answer, body, ""), content_type=how.content_type, tag=None)


def _said_by(manner: Callable[[Asked], object]) -> Rewrite:
    def rewrite(answer: Answer, request: Request, how: Misbehaviour) -> Answer:
        del answer, how
        return said_by(manner, request)

    return rewrite


def _other(answer: Answer, body: bytes, tag: str, *, keys: tuple[str, ...] = ()) -> Answer:
    """Another body under another tag, so that a spoilt answer never passes for the good one."""
    content = Content(body, keys)
    new_tag = f"{answer.tag}-{tag}" if answer.tag else None
    return replace(answer, content=lambda: content, tag=new_tag, modified_at=None)


REWRITES: Mapping[Fault, Rewrite] = {
    Fault.STATUS: _status,
    Fault.REDIRECT_LOOP: _redirect_loop,
    Fault.REDIRECT_CHAIN: _redirect_chain,
    Fault.MALFORMED_XML: _malformed_xml,
    Fault.HTML_INSTEAD: _html_instead,
    Fault.WRONG_CHARSET: _wrong_charset,
    Fault.EMPTY_BODY: _empty_body,
    Fault.OTHER_BODY: _other_body,
    Fault.MODEL_LIES: _said_by(lies),
    Fault.MODEL_OBEYS: _said_by(obedience),
    Fault.MODEL_INVENTS_IDS: _said_by(invented_ids),
    Fault.MODEL_WRONG_SHAPE: _said_by(wrong_shape),
}
