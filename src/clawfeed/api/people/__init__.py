"""Accounts, sessions, keys and one's own X."""
