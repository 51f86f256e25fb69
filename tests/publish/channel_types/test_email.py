"""E-mail: what arrives, exactly, and what becomes of what does not (S001-19, T21, T23, F22, I7)."""

from __future__ import annotations

import ssl
from dataclasses import replace
from datetime import timedelta

import pytest

from clawfeed.domain.channels.channel import ChannelDraft
from clawfeed.domain.editions.delivery import Recovery
from clawfeed.domain.editions.edition_period import EditionType
from clawfeed.domain.errors import ConfigError, InvalidInputError, Reason
from clawfeed.domain.secret import Secret
from clawfeed.publish.channel_type import Notice, PublishConfig
from clawfeed.publish.channel_types.email import TYPE
from clawfeed.publish.mail.smtp import dot_stuffed
from clawfeed.publish.message import RetryVerdict
from clawfeed.rendering.safe_text import one_line
from clawfeed.simulator.faults import Fault, Misbehaviour
from clawfeed.simulator.services.mail_server import REPEATED, MailOptions, Stage
from tests.publish.email_channels import ANNA, BASE_URL, mailing
from tests.support.certificates import Authority
from tests.support.digests import a_story, an_edition, told_by
from tests.support.hostile_text import header_injections, markup_texts
from tests.support.html_pages import HtmlPage

HEADERS = {
    "From": "ClawFeed <news@example.com>",
    "To": ANNA,
    "Subject": "Rust, chips and the weather",
    "Date": "Sun, 15 Nov 2026 12:00:00 +0000",
    "List-Id": "ClawFeed <clawfeed.example.com>",
    "List-Unsubscribe": f"<{BASE_URL}/unsubscribe/7-signed>",
    "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
    "Auto-Submitted": "auto-generated",
    "MIME-Version": "1.0",
}
HOSTILE = [each for each in (*markup_texts(), *header_injections()) if one_line(each)]


# On loopback, without a login.
UNSAID = {Stage.STARTTLS, Stage.AUTH}


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture
def trusted(authority: Authority, monkeypatch: pytest.MonkeyPatch) -> ssl.SSLContext:
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.root))
    return authority.issue("DNS:mail.example").context()


async def test_an_edition_arrives_as_one_letter_with_exactly_these_headers() -> None:
    """(S001-19)."""
    async with mailing() as post:
        receipt = await post.send()
        [letter] = post.arrived()

    content_type = letter["Content-Type"]
    assert dict(letter.items()) == {
        **HEADERS,
        "Message-ID": receipt.remote_id,
        "Content-Type": content_type,
    }
    assert receipt.remote_id.endswith("@example.com>")
    assert [line for line, _ in post.mail.heard if line.startswith(("MAIL", "RCPT"))] == [
        "MAIL FROM:<news@example.com>",
        f"RCPT TO:<{ANNA}>",
    ]
    assert content_type.content_type == "multipart/alternative"
    text, html = (part.get_content() for part in letter.iter_parts())
    page = HtmlPage(html)
    for wanted in ("Rust 1.90 is out", "Builds are a third quicker.", "Announcing Rust 1.90"):
        assert wanted in text
        assert wanted in page.texts("body")[0]
    assert set(page.values("a", "href")) == {
        "https://news.example/1",
        "https://news.example/2",
        f"{BASE_URL}/digests/1",
        f"{BASE_URL}/unsubscribe/7-signed",
    }
    assert all(f"{BASE_URL}/{path}" in text for path in ("digests/1", "unsubscribe/7-signed"))
    assert page.count("img, script, link, iframe, form") == 0


async def test_hostile_titles_are_only_text_in_subject_html_and_text() -> None:
    """(T21, T23): no header more, no element more, no link more, whatever a title holds."""
    shape: list[str] | None = None
    async with mailing() as post:
        for number, text in enumerate(HOSTILE):
            story = a_story(text, sources=(told_by(1, text, text), told_by(2, "B", "b")))
            await post.send(an_edition(story, title=text, left_out=()), key=str(number))
        letters = post.arrived()

    for text, letter in zip(HOSTILE, letters, strict=True):
        shown = one_line(text)
        plain, html = (part.get_content() for part in letter.iter_parts())
        page = HtmlPage(html)
        shape = shape or page.elements()
        assert set(letter.keys()) == {*HEADERS, "Message-ID", "Content-Type"}, text
        subject = str(letter["Subject"])
        assert subject == shown or subject == shown[:199].rstrip() + "…"
        assert page.texts("h1") == [shown]
        assert page.texts("h3") == [f"1. {shown}"]
        assert page.elements() == shape
        assert {str(each).split("/")[2] for each in page.values("a", "href")} == {
            "news.example",
            "feeds.example",
        }
        assert "".join(shown.split()) in "".join(plain.split())


def test_an_address_that_is_more_than_one_mailbox_is_refused() -> None:
    """(T23)."""
    for text in header_injections():
        with pytest.raises(InvalidInputError):
            TYPE.check(ChannelDraft(kind="email", address=text))


def test_a_mailbox_has_one_spelling() -> None:
    checked = TYPE.check(ChannelDraft(kind="email", address=" Anna@Example.org "))

    assert checked.address == ANNA
    assert TYPE.recovery is Recovery.RESEND
    assert TYPE.is_own_address_only


@pytest.mark.parametrize(
    ("content", "stuffed"),
    [
        (b"a\r\n.\r\nb\r\n", b"a\r\n..\r\nb\r\n"),
        (b".\nMAIL FROM:<x>\n", b"..\r\nMAIL FROM:<x>\r\n\r\n"),
        (b"a\r.\rb", b"a\r\n..\r\nb\r\n"),
        (b"a\n.\r\nb", b"a\r\n..\r\nb\r\n"),
    ],
)
def test_nothing_inside_a_letter_is_its_end(content: bytes, stuffed: bytes) -> None:
    """(T23): neither a lone dot nor one between line ends that only some servers know."""
    assert dot_stuffed(content) == stuffed


async def test_what_is_written_line_by_line_is_read_as_it_was() -> None:
    """Dots at the beginning of lines, Chinese, and lines longer than SMTP has."""
    lines = (".", "..x", "第一条" * 400, "x" * 3000)
    async with mailing() as post:
        await post.send(an_edition(summary=lines))
        [letter] = post.arrived()

    text, html = (part.get_content() for part in letter.iter_parts())
    assert HtmlPage(html).texts("li")[:4] == list(lines)
    assert all(each in "".join(text.split()) for each in lines)


async def test_the_same_message_has_the_same_message_id_and_another_has_another() -> None:
    """(I7): that is how a mailbox recognises it."""
    async with mailing() as post:
        first, again, other = [await post.send(key=key) for key in ("1-1-1", "1-1-1", "2-1-1")]
        shown = [letter["Message-ID"] for letter in post.arrived()]

    assert first == again
    assert shown == [first.remote_id, other.remote_id]
    assert len(post.mail.world.effects.of(REPEATED)) == 1


def answers(status: int, body: str = "") -> Misbehaviour:
    return Misbehaviour(fault=Fault.STATUS, status=status, body=body)


@pytest.mark.parametrize(
    ("stage", "answer", "verdict", "reason"),
    [
        (Stage.RCPT, (450, "4.7.1 greylisted"), RetryVerdict.RETRY, Reason.BUSY),
        (Stage.RCPT, (550, "5.1.1 no such user"), RetryVerdict.PAUSE, Reason.GONE),
        (Stage.RCPT, (550, "5.7.1 not from you"), RetryVerdict.GIVE_UP, Reason.REFUSED),
        (Stage.RCPT, (552, "5.2.2 mailbox full"), RetryVerdict.GIVE_UP, Reason.REFUSED),
        (Stage.DATA, (451, "4.3.0 later"), RetryVerdict.RETRY, Reason.BUSY),
        (Stage.CONTENT, (452, "4.3.1 disk full"), RetryVerdict.RETRY, Reason.BUSY),
        (Stage.CONTENT, (554, "5.7.1 spam"), RetryVerdict.GIVE_UP, Reason.REFUSED),
    ],
)
async def test_a_refusal_of_one_letter_says_what_becomes_of_it(
    stage: Stage, answer: tuple[int, str], verdict: RetryVerdict, reason: Reason
) -> None:
    """(F22): and whoever is refused is told so in the server's words."""
    async with mailing() as post:
        post.mail.world.misbehave(f"/smtp/{stage}", answers(*answer), 1)
        error = await post.failure()
        empty = post.arrived()
        await post.send()

    assert (error.verdict, error.reason, error.may_have_arrived) == (verdict, reason, False)
    assert (error.status, error.is_place_resting) == (answer[0], False)
    assert answer[1] in error.detail
    assert (error.wait == timedelta(minutes=5)) is (verdict is RetryVerdict.RETRY)
    assert empty == []
    assert len(post.arrived()) == 1


@pytest.mark.parametrize(
    ("stage", "answer"),
    [
        (Stage.GREETING, (554, "no service")),
        (Stage.GREETING, (421, "4.3.2 shutting down")),
        (Stage.EHLO, (550, "go away")),
        (Stage.MAIL, (553, "5.7.1 not your address")),
        (Stage.RCPT, (421, "4.3.2 shutting down")),
    ],
)
async def test_what_is_wrong_for_all_lets_all_wait_and_pauses_nobody(
    stage: Stage, answer: tuple[int, str]
) -> None:
    async with mailing() as post:
        post.mail.world.misbehave(f"/smtp/{stage}", answers(*answer))
        error = await post.failure()

    assert (error.verdict, error.is_place_resting) == (RetryVerdict.RETRY, True)
    assert error.wait is not None
    assert error.may_have_arrived is False


@pytest.mark.parametrize("stage", [each for each in Stage if each not in UNSAID])
async def test_only_a_connection_lost_after_the_last_dot_leaves_it_open(stage: Stage) -> None:
    """(F22, I7): and the second attempt is recognised."""
    async with mailing() as post:
        reset = Misbehaviour(fault=Fault.RESET)
        post.mail.world.misbehave(f"/smtp/{stage}", reset, 1)
        error = await post.failure()
        await post.send()

    after_the_dot = stage in {Stage.CONTENT, Stage.ACCEPTED}
    assert (error.verdict, error.may_have_arrived) == (RetryVerdict.RETRY, after_the_dot)
    assert len(post.arrived()) == 1
    assert len(post.mail.world.effects.of(REPEATED)) == (stage is Stage.ACCEPTED)


async def test_a_server_that_nobody_may_call_is_the_operators_to_allow() -> None:
    """EGRESS_ALLOW has no line for it: nobody's channel is paused for that."""
    async with mailing(url="smtp://127.0.0.1:1") as post:
        error = await post.failure()

    assert (error.verdict, error.is_place_resting) == (RetryVerdict.RETRY, True)
    assert error.may_have_arrived is False


@pytest.mark.parametrize("way", ["PLAIN", "LOGIN"])
@pytest.mark.parametrize("is_encrypted", [False, True], ids=["starttls", "implicit TLS"])
async def test_the_login_is_said_under_seal_only(
    *, is_encrypted: bool, way: str, trusted: ssl.SSLContext
) -> None:
    options = MailOptions(
        context=trusted, is_encrypted=is_encrypted, login=("ü@b", "p@ss:word%"), ways=(way,)
    )
    scheme = "smtps" if is_encrypted else "smtp"
    url = f"{scheme}://%C3%BC%40b:p%40ss:word%25@mail.example"
    async with mailing(options, url=url, is_far=True) as post:
        await post.send()

    assert len(post.arrived()) == 1
    in_clear = {line for line, is_sealed in post.mail.heard if not is_sealed}
    assert in_clear == (set() if is_encrypted else {"EHLO example.com", "STARTTLS"})


async def test_without_encryption_nothing_is_said() -> None:
    """Not even who would get it, and what the way out is."""
    options = MailOptions(login=("anna", "hush-hush"))
    async with mailing(options, url="smtp://anna:hush-hush@mail.example", is_far=True) as post:
        error = await post.failure()

    assert [line for line, _ in post.mail.heard] == ["EHLO example.com", "QUIT"]
    assert error.detail.startswith("The mail server offers no encryption (STARTTLS)")
    assert (error.reason, error.verdict) == (Reason.MISCONFIGURED, RetryVerdict.RETRY)


async def test_a_server_in_the_own_network_may_be_spoken_to_in_clear() -> None:
    async with mailing(url="smtp://mail.example?tls=no", is_far=True) as post:
        await post.send()

    assert len(post.arrived()) == 1


async def test_a_wrong_password_is_the_operators_and_not_told_to_readers(
    trusted: ssl.SSLContext, caplog: pytest.LogCaptureFixture
) -> None:
    options = MailOptions(context=trusted, login=("boss", "right"))
    async with mailing(options, url="smtp://boss:hush-hush@mail.example", is_far=True) as post:
        error = await post.failure()

    assert (error.verdict, error.status, error.is_place_resting) == (RetryVerdict.RETRY, 535, True)
    assert error.wait == timedelta(minutes=30)
    assert error.detail == (
        "The mail server does not accept our login; the operator must mend SMTP_URL."
    )
    assert [record.levelname for record in caplog.records] == ["ERROR"]
    assert "hush-hush" not in f"{caplog.text} {error!r} {post.config!r}"


async def test_a_wrong_certificate_keeps_the_letter_here(
    authority: Authority, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.root))
    other = MailOptions(context=authority.issue("DNS:other.example").context())
    async with mailing(other, url="smtp://mail.example", is_far=True) as post:
        error = await post.failure()

    assert [line for line, _ in post.mail.heard] == ["EHLO example.com", "STARTTLS"]
    assert error.may_have_arrived is False


async def test_by_plain_http_no_one_click_is_promised() -> None:
    """RFC 8058 wants https; the link itself is there."""
    async with mailing(base_url="http://127.0.0.1:8767") as post:
        await post.send()
        [letter] = post.arrived()

    assert letter["List-Unsubscribe"] == "<http://127.0.0.1:8767/unsubscribe/7-signed>"
    assert letter["List-Unsubscribe-Post"] is None


def test_a_short_word_is_a_letter_too() -> None:
    notice = Notice(
        title="A source\r\nBcc: x", lines=("<b>Reddit</b> rests",), link=f"{BASE_URL}/sources/1"
    )

    words = TYPE.notice(notice, {})

    assert '"subject": "A source Bcc: x"' in words
    assert "<b>" not in words.partition('"html"')[2]
    assert f"{BASE_URL}/sources/1" in words


def test_the_operators_mailboxes_are_channels() -> None:
    config = PublishConfig(
        base_url=BASE_URL,
        smtp_url=Secret("smtp://mail.example"),
        email_from="news@example.com",
        email_to=("Anna <anna@example.org>", "ben@example.org"),
        alarm_email_to=("ben@example.org", "boss@example.org"),
        edition_types=("daily", "weekly"),
    )

    drafts = {each.address: each for each in TYPE.of_the_house(config)}

    daily_and_weekly = (EditionType.DAILY, EditionType.WEEKLY)
    assert {each: (d.edition_types, d.gets_alarms) for each, d in drafts.items()} == {
        "anna@example.org": (daily_and_weekly, False),
        "ben@example.org": (daily_and_weekly, True),
        "boss@example.org": ((), True),
    }
    assert TYPE.missing(config) == ""


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"smtp_url": None}, "SMTP_URL"),
        ({"email_from": None}, "EMAIL_FROM"),
        ({"email_from": "nobody"}, "EMAIL_FROM"),
        ({"email_to": ("a@b, c@d",)}, "EMAIL_TO"),
        ({"smtp_url": Secret("smtp://a:hush-hush@mail.example?tls=no")}, "tls=no"),
        ({"smtp_url": Secret("smtp://hush-hush mail.example")}, "SMTP_URL"),
    ],
)
def test_what_the_operator_forgot_is_one_sentence(change: dict[str, object], named: str) -> None:
    config = PublishConfig(
        base_url=BASE_URL,
        smtp_url=Secret("smtp://mail.example"),
        email_from="news@example.com",
        email_to=("anna@example.org",),
    )
    broken = replace(config, **change)  # type: ignore[arg-type]

    with pytest.raises(ConfigError, match=named) as caught:
        TYPE.of_the_house(broken)

    assert "hush-hush" not in str(caught.value)
