"""What every command does first: read the configuration, set up the logs."""

from __future__ import annotations

import logging
import os
from pathlib import Path

from clawfeed.app.config import Config, load_config
from clawfeed.app.logging_setup import set_up_logs

log = logging.getLogger("clawfeed")


def load_settings() -> Config:
    """The configuration of this process; its warnings are logged once."""
    from clawfeed.app.service import SUPERVISED

    config = load_config(os.environ, directory=Path.cwd())
    set_up_logs(config.log, secrets=config.secret_texts())
    # Whoever started us has told them.
    for warning in () if SUPERVISED in os.environ else config.warnings:
        log.warning("configuration", extra={"warning": warning})
    return config
