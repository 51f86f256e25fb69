"""What leaves the house, as the operator set it: for `publish`, and what only shows together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clawfeed.app.config import Config

if TYPE_CHECKING:
    from clawfeed.publish.channel_type import PublishConfig


def publish_config(config: Config) -> PublishConfig:
    """The part of the settings that channels are made of."""
    from clawfeed.publish.channel_type import PublishConfig

    settings = config.publish
    return PublishConfig(
        base_url=config.server.base_url,
        edition_types=settings.edition_types,
        language=config.editions.language,
        zone=config.timezone,
        telegram_api_base_url=settings.telegram_api_base_url,
        telegram_bot_token=settings.telegram_bot_token,
        telegram_channel_id=settings.telegram_channel_id,
        github_api_base_url=settings.github_api_base_url,
        github_token=settings.github_token,
        target_repo=settings.target_repo,
        target_branch=settings.target_branch,
        target_folder=settings.target_folder,
        smtp_url=settings.smtp_url,
        email_from=settings.email_from,
        email_to=settings.email_to,
        slack_webhook_url=settings.slack_webhook_url,
        alarm_email_to=settings.alarm_email_to,
        alarm_telegram_chat_id=settings.alarm_telegram_chat_id,
    )


def names_channels(config: Config) -> bool:
    """Whether the settings may make a channel: without, no kind of channel is looked at."""
    settings = config.publish
    return any(
        (
            settings.telegram_channel_id,
            settings.target_repo,
            settings.email_to,
            settings.slack_webhook_url,
            settings.alarm_email_to,
            settings.alarm_telegram_chat_id,
        )
    )
