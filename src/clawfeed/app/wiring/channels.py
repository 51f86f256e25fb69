"""Channels, wired: which there are, where their secrets are sealed, and who may try them out."""

from __future__ import annotations

from dataclasses import dataclass

from clawfeed.app.channel_key import key_holder_of
from clawfeed.app.clock import system_clock
from clawfeed.app.settings.config import Config
from clawfeed.domain.editions.edition_scope import ReaderSettings
from clawfeed.egress.client import Egress
from clawfeed.publish.channel_admin import ChannelAdmin
from clawfeed.publish.channel_targets import Targets, channels_of_the_house
from clawfeed.publish.channel_trial import ChannelTrial
from clawfeed.publish.channel_type import ChannelTypes, PublishConfig, SendingTools
from clawfeed.publish.channel_types.built_in import BUILT_IN
from clawfeed.publish.mail.unsubscribe import Unsubscribing
from clawfeed.publish.secrets.secret_box import SecretBox
from clawfeed.storage.channels.channel_secrets import ChannelSecrets
from clawfeed.storage.channels.channels import ChannelStore
from clawfeed.storage.database import Database
from clawfeed.storage.readers.reader_settings import ReaderSettingsStore


@dataclass(frozen=True, slots=True, kw_only=True)
class Channels:
    """All it takes to keep channels, and to send to them."""

    types: ChannelTypes
    config: PublishConfig
    admin: ChannelAdmin
    targets: Targets
    unsubscribing: Unsubscribing

    def sending_tools(self, egress: Egress) -> SendingTools:
        return SendingTools(
            egress=egress,
            config=self.config,
            clock=system_clock,
            unsubscribe_link=self.unsubscribing.link,
        )

    def trial(self, egress: Egress) -> ChannelTrial:
        return ChannelTrial(
            types=self.types, targets=self.targets, tools=lambda: self.sending_tools(egress)
        )


def channels_of(
    config: Config, database: Database, channel_types: ChannelTypes = BUILT_IN
) -> Channels:
    """What the settings make of *channel_types*; `ConfigError` if they make no sense together."""
    settings, keys = publish_config(config), key_holder_of(config)
    box, secrets = SecretBox(keys), ChannelSecrets(database)
    return Channels(
        types=channel_types,
        config=settings,
        admin=ChannelAdmin(
            types=channel_types,
            config=settings,
            store=ChannelStore(database),
            secrets=secrets,
            box=box,
            readers=ReaderSettingsStore(database, usual_settings(config)),
        ),
        targets=Targets(secrets, box, channels_of_the_house(channel_types, settings)),
        unsubscribing=Unsubscribing(keys, settings.base_url),
    )


def usual_settings(config: Config) -> ReaderSettings:
    """How people want their editions who said nothing."""
    editions = config.editions
    return ReaderSettings(
        zone=config.timezone, language=editions.language, edition_time=editions.time
    )


def publish_config(config: Config) -> PublishConfig:
    """What the operator set, as `publish` wants it."""
    given = config.publish
    return PublishConfig(
        base_url=config.server.base_url,
        edition_types=tuple(str(each) for each in given.edition_types),
        language=config.editions.language,
        zone=config.timezone,
        telegram_api_base_url=given.telegram_api_base_url,
        telegram_bot_token=given.telegram_bot_token,
        telegram_channel_id=given.telegram_channel_id,
        github_api_base_url=given.github_api_base_url,
        github_token=given.github_token,
        target_repo=given.target_repo,
        target_branch=given.target_branch,
        target_folder=given.target_folder,
        smtp_url=given.smtp_url,
        email_from=given.email_from,
        email_to=given.email_to,
        slack_webhook_url=given.slack_webhook_url,
        alarm_email_to=given.alarm_email_to,
        alarm_telegram_chat_id=given.alarm_telegram_chat_id,
    )
