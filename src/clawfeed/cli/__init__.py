"""The front door: one command, many words."""
