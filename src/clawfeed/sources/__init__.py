"""Readers of the world: one file per kind of source."""
