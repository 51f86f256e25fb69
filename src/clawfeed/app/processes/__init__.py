"""Processes: how they start, listen, log, name themselves and end."""
