"""The short way to safe HTML says what the parser says, or nothing (T9, T10).

The oracle is the parser itself: whatever is taken for plain must come out as if it had been parsed.
"""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from clawfeed.sources.documents import plain_html
from clawfeed.sources.documents.html_allowlist import ALLOWED_TAGS, parse_and_clean
from clawfeed.sources.documents.plain_html import LONGEST_TAG, REMEMBERED, clean_plain_html
from clawfeed.sources.documents.text import without_controls
from tests.sources.documents.test_sanitize import DANGEROUS
from tests.support.hostile_html import payloads

BASE = "https://site.example/post/1?a=1&b=2"
EMPTY = ("br", "hr", "img", "wbr")
ELEMENTS = sorted(ALLOWED_TAGS)


def is_plain(markup: str) -> bool:
    """Whether the short way takes the markup; if it does, the parser must agree."""
    short = clean_plain_html(markup, BASE)
    if short is None:
        return False
    assert without_controls(short) == without_controls(parse_and_clean(markup, BASE)), markup
    return True


# --- what feeds carry is plain ------------------------------------------------------------------

WORDPRESS = """\
<p class="wp-block-paragraph">It&#8217;s <strong>new</strong>&nbsp;&#8211; <a \
href="https://a.example/x?utm_source=rss&amp;utm_medium=feed" target="_blank" rel="noreferrer" \
class="link">see</a>&hellip; AT&T</p>\r
<!-- wp:image {"id":7} -->
<figure id="attachment_7" class="wp-block-image" style="width: 650px"><img loading="lazy" \
decoding="async" width="1024" height="683" \
src="https://i0.wp.example/a.jpg?resize=9%2C6&amp;ssl=1" alt="A picture" \
srcset="https://i0.wp.example/a.jpg 1024w, b.jpg 300w" sizes="100vw" />\
<figcaption class="wp-element-caption"><em>A</em></figcaption></figure>
<h2 id="more">More</h2><ul><li>one<br />two</li><li>&lt;three&gt;</li></ul><hr class="sep"/>
<blockquote cite="https://a.example/q"><p>Quoth&#160;he</p></blockquote>
<pre class="code"><code>\nx &amp;&amp; y</code></pre><p>cut in the mid"""


def test_the_markup_of_most_feeds_is_plain() -> None:
    safe = clean_plain_html(WORDPRESS, BASE)

    assert is_plain(WORDPRESS)
    assert safe is not None
    assert safe.startswith(
        "<p>It’s <strong>new</strong>&nbsp;\N{EN DASH} "
        '<a href="https://a.example/x?utm_source=rss&amp;utm_medium=feed" '
        'rel="noopener noreferrer nofollow">see</a>… AT&amp;T</p>\n\n<figure><img width="1024" '
        'height="683" src="https://i0.wp.example/a.jpg?resize=9%2C6&amp;ssl=1" alt="A picture">'
    )
    assert safe.endswith("<p>cut in the mid</p>")


@pytest.mark.parametrize(
    "markup",
    [
        '<a href="/rel">x</a>',
        '<a href="mailto:a@b.example?bcc=c">x</a>',
        '<a href="javascript:alert(1)">x</a>',
        '<a href="https://u:p@e.example/">x</a>',
        '<img src="https://e.example/%2e%2e/a.png" alt="&quot;&lt;b&gt;" width="9px">',
        '<img src="b.png"/>',
        '<p onclick="x" lang="de">x</p>',
        '<ol start="x"><li>x</li></ol>',
        "<p>&#0;&#1;&notit;&copy2 &foo; &#x26;lt; &</p>",
        "<p>a\x00\x01b</p>",
        '<img alt="a\x00b">',
        '<img alt="AT&T &copy; &copy=1">',
    ],
)
def test_what_needs_thought_is_asked_of_the_parser_tag_by_tag(markup: str) -> None:
    assert is_plain(markup)


# --- what is not --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "markup",
    [
        "<p>a<p>b</p></p>",
        "<p>a<div>b</div></p>",
        "<p>a<hr></p>",
        "<a>x<b><a>y</a></b></a>",
        "<h2>x<h3>y</h3></h2>",
        "<li>x</li>",
        "<ul><li>x<li>y</li></li></ul>",
        "<b><i>x</b></i>",
        "x</p>",
        "<br></br>",
        "<pre>\nx</pre>",
        "<pre>&#10;x</pre>",
        "<table><tr><td>x</td></tr></table>",
        "<ruby>x<rt>y</rt></ruby>",
        "<script>x</script>",
        "<svg><p>x</p></svg>",
        "<P>x</P>",
        "<p class=x>y</p>",
        "<p class='x'>y</p>",
        '<p class="x"id="y">z</p>',
        '<a href="https://a.example/" href="https://b.example/">x</a>',
        '<a href="https://a.example/" "x>y</a>',
        '<img alt="a > b">',
        "<p>1 > 0</p>",
        "1 > 0 <p>x</p>",
        "\ufeff<p>x</p>",
        "<p>1 < 0</p>",
        "<p <b>>x</b></p>",
        "<!-->x<p>y</p>-->",
        "<!---><p>y</p>",
        "<!-- x --!><p>y</p>",
        "<![CDATA[x]]>",
        "<>x</>",
        "<b>" * 40 + "x" + "</b>" * 40,
        f'<p class="{"x" * LONGEST_TAG}">y</p>',
    ],
)
def test_what_html_would_rearrange_or_write_otherwise_is_not_plain(markup: str) -> None:
    assert clean_plain_html(markup, BASE) is None


# --- whatever is taken for plain is what the parser says ----------------------------------------


def nested(names: tuple[str, ...], *, ended: bool) -> str:
    starts = "".join(f"<{name}>{number}" for number, name in enumerate(names))
    ends = "".join(f"</{name}>z" for name in reversed(names) if name not in EMPTY)
    return starts + ends if ended else starts


def test_every_element_in_every_other_is_nested_as_html_nests_it() -> None:
    taken = sum(
        is_plain(nested(pair, ended=ended))
        for pair in product(ELEMENTS, repeat=2)
        for ended in (True, False)
    )

    assert taken > 3000


@pytest.mark.slow
def test_every_element_in_every_other_in_every_third_is_nested_as_html_nests_it() -> None:
    taken = sum(is_plain(nested(three, ended=True)) for three in product(ELEMENTS, repeat=3))

    assert taken > 75_000


def test_no_payload_is_read_otherwise_than_by_the_parser() -> None:
    """(T9) alone, in a paragraph, in attributes that stay and that go, and in a comment."""
    taken = 0

    for payload in payloads():
        for frame in ("%s", "<p>%s</p>", '<a href="%s">x</a>', '<img alt="%s">', '<b id="%s">y</b>',
                      "<!-- %s --><i>z</i>"):  # fmt: skip
            taken += is_plain(frame.replace("%s", payload))

    assert taken > 500


NAMES = st.sampled_from(
    ["class", "id", "style", "href", "src", "alt", "title", "width", "start", "cite", "lang", "rel",
     "srcset", "data-x", "xml:lang", "datetime", "onload"]
)  # fmt: skip
ANY = st.characters(exclude_categories=["Cs"], exclude_characters='"<>')
VALUES = st.text(ANY, max_size=8) | st.sampled_from(
    ["x", "12", "", " 7", "/rel", "//e.example", "https://a.example/p?q=1&amp;r=2", "a\xa0b",
     "https://a.example/p?q=1&r=2", "https://a.example/a%2e/%2E./x", "https://a.example",
     "\x00\x01", "https://a.example/é", "HTTPS://a.example/", "javascript:x", "mailto:a@b.c",
     "&quot;", "&#8217;", "&copy=1", "&amp;amp;", "https://xn--a.example/", "https://a.1.2/",
     "it's\n“so”"]
)  # fmt: skip
ATTRIBUTES = st.lists(st.tuples(NAMES, VALUES), max_size=4).map(
    lambda pairs: "".join(f' {name}="{value}"' for name, value in pairs)
)
TEXT = st.text(ANY, max_size=8) | st.sampled_from(
    ["a", "\n", "\r\n", "\xa0", "&amp;", "&#8217;", "&nbsp;", "&", "&copy", "&copyx;", "&#10;", "é",
     "&#x80;", "&#xD800;", "&lt;b&gt;", "&" + "a" * 50, "&#" + "0" * 50 + "65;", "\x00", "\x0c",
     "<!-- x -->", "<!-- a -- b -->", "<br>", "<hr/>", "<img />"]
)  # fmt: skip


def inside(children: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    names = st.sampled_from([name for name in ELEMENTS if name not in EMPTY])
    several = st.lists(children, max_size=3).map("".join)
    element = st.builds("<{0}{1}>{2}</{0}>".format, names, ATTRIBUTES, several)
    items = st.builds("<ul><li{0}>{1}</li></ul>".format, ATTRIBUTES, several)
    return element | items


FRAGMENTS = st.lists(st.recursive(TEXT, inside, max_leaves=12), max_size=4).map("".join)


@given(FRAGMENTS)
@example("<pre><!-- x -->\nx</pre>")
@example("<b><b><b><b><b>x</b></b></b></b></b>y")
def test_any_plain_fragment_comes_out_as_from_the_parser(markup: str) -> None:
    is_plain(markup)


JUNK = st.sampled_from([*DANGEROUS, "<", "/", "&", "=", "</p>", "<a>", "</b>", "<li>", "<P>", "--"])


@given(FRAGMENTS, st.lists(st.tuples(st.integers(0, 200), st.integers(0, 4), JUNK), max_size=3))
def test_any_damaged_fragment_comes_out_as_from_the_parser_or_is_left_to_it(
    markup: str, damages: list[tuple[int, int, str]]
) -> None:
    for at, gone, junk in damages:
        markup = markup[:at] + junk + markup[at + gone :]

    is_plain(markup)


# --- its memory ---------------------------------------------------------------------------------


def test_what_is_remembered_of_a_tag_does_not_depend_on_the_base() -> None:
    markup = '<a href="x">y</a>'

    one, other = (clean_plain_html(markup, f"https://{host}.example/") for host in ("a", "b"))

    assert one == '<a href="https://a.example/x" rel="noopener noreferrer nofollow">y</a>'
    assert other == '<a href="https://b.example/x" rel="noopener noreferrer nofollow">y</a>'


def test_ever_new_tags_do_not_fill_the_memory() -> None:
    for number in range(REMEMBERED + 10):
        assert clean_plain_html(f'<p id="n{number}">x</p>', BASE) == "<p>x</p>"

    assert len(plain_html._starts) <= REMEMBERED
