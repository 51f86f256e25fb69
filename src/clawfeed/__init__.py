"""ClawFeed: follow many sources, read one short edition a day."""

__version__ = "0.1.0"
