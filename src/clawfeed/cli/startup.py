"""What every command does first: read the configuration, set up the logs."""

from __future__ import annotations

import logging
import os
from dataclasses import replace
from pathlib import Path

from clawfeed.app.processes.logging_setup import set_up_logs
from clawfeed.app.settings.config import Config
from clawfeed.app.settings.config_loading import load_config

log = logging.getLogger("clawfeed")


def load_settings(*, tells_itself: bool = False) -> Config:
    """The configuration of this process; its warnings are logged once.

    A command that *tells itself* what it does logs only what goes wrong, unless LOG_LEVEL is set.
    """
    from clawfeed.app.processes.worker_group import SUPERVISED_VARIABLE

    config = load_config(os.environ, directory=Path.cwd())
    is_quiet = tells_itself and config.origin["LOG_LEVEL"] == "default"
    logs = replace(config.log, level="warning") if is_quiet else config.log
    set_up_logs(logs, secrets=config.secret_texts())
    # Whoever started us has told them.
    for warning in () if SUPERVISED_VARIABLE in os.environ else config.warnings:
        log.warning("configuration", extra={"warning": warning})
    return config
