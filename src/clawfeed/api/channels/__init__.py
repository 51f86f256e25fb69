"""Channels, and the messages on their way to them."""
