"""The demo's channels: the settings that send editions to the services of this world."""

from __future__ import annotations

from urllib.parse import urlsplit

from clawfeed.simulator.services.github import TOKEN
from clawfeed.simulator.services.telegram import BOT_TOKEN
from clawfeed.simulator.services.webhook_services import PREFIX as HOOKS


def channel_settings(url: str, mail_url: str) -> dict[str, str]:
    """For the world served at *url*, its mail server at *mail_url*.

    Its EGRESS_ALLOW covers both, so these go over those of `settings`.
    """
    return {
        "EGRESS_ALLOW": f"{urlsplit(url).netloc},{urlsplit(mail_url).netloc}",
        "TELEGRAM_API_BASE_URL": f"{url}/telegram",
        "TELEGRAM_BOT_TOKEN": BOT_TOKEN,
        "TELEGRAM_CHANNEL_ID": "@harbour_news",
        "GITHUB_API_BASE_URL": f"{url}/github",
        "GITHUB_TOKEN": TOKEN,
        "TARGET_REPO": "simulated/news",
        "SLACK_WEBHOOK_URL": f"{url}{HOOKS}slack/simulated",
        "SMTP_URL": mail_url,
        "EMAIL_FROM": "ClawFeed <news@demo.example>",
        "EMAIL_TO": "reader@demo.example",
    }
