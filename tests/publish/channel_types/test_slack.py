"""Slack: what differs from other webhooks."""

from __future__ import annotations

import json

from clawfeed.domain.secret import Secret
from clawfeed.publish.channel_type import PublishConfig
from clawfeed.publish.channel_types.built_in import BUILT_IN
from tests.publish.webhook_services import PAGE, TOKEN, notice, payloads
from tests.support.digests import a_story, an_edition

SLACK = BUILT_IN["slack"]
URL = f"https://hooks.slack.com/services/T0/B0/{TOKEN}"


def test_the_line_of_a_notification_is_escaped_and_mentions_nobody() -> None:
    """It stands outside the blocks, where Slack reads `<!channel>`."""
    body = json.loads(notice("slack", "<!channel> & <@U1|x>"))

    assert body["text"] == "&lt;!channel&gt; &amp; &lt;@U1|x&gt;"
    assert body["mrkdwn"] is False


def test_headlines_are_bold_and_sources_are_links() -> None:
    [payload] = payloads("slack", an_edition())
    sections = [block["elements"][0]["elements"] for block in json.loads(payload)["blocks"]]
    elements = [element for section in sections for element in section]

    bold = [each["text"] for each in elements if each.get("style") == {"bold": True}]
    links = {each["text"]: each["url"] for each in elements if each["type"] == "link"}
    assert bold == ["Rust, chips and the weather", "Top stories", "1. Rust 1.90 is out"]
    assert links["Rust, chips and the weather"] == PAGE
    assert links["Rust Blog"] == "https://news.example/1"


def test_a_message_has_at_most_fifty_blocks() -> None:
    parts = payloads("slack", an_edition(*(a_story("x", sources=()) for _ in range(60))))

    blocks = [len(json.loads(part)["blocks"]) for part in parts]
    assert blocks[0] == 50
    assert sum(blocks) == 62  # the head and the foot


def test_the_operators_webhook_is_a_channel_of_the_house() -> None:
    """(S002-7)."""
    config = PublishConfig(
        base_url="https://feeds.example",
        slack_webhook_url=Secret(URL),
        edition_types=("daily", "weekly"),
        language="zh",
        zone="Asia/Shanghai",
    )
    [draft] = SLACK.of_the_house(config)

    assert draft.address.startswith("hooks.slack.com #")
    assert draft.secrets["url"].reveal() == URL
    assert (draft.language, draft.timing.zone) == ("zh", "Asia/Shanghai")
    assert [str(each) for each in draft.edition_types] == ["daily", "weekly"]
    assert SLACK.of_the_house(PublishConfig(base_url="https://feeds.example")) == ()
