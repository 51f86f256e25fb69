"""Utilities: the only door out of the house."""
