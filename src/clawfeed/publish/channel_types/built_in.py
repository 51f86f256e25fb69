"""The kinds of channel there are: one line each."""

from __future__ import annotations

from importlib import import_module
from typing import Final

from clawfeed.publish.channel_type import ChannelTypes

# Modules of this folder; what is in their `TYPE` exists.
MODULES: Final[tuple[str, ...]] = (
    "email",
    "slack",
    "discord",
    "feishu",
    "dingtalk",
    "wecom",
    "ntfy",
    "webhook",
    "apprise",
    "telegram",
    "github",
)

BUILT_IN: Final = ChannelTypes(import_module(f"{__package__}.{name}").TYPE for name in MODULES)
