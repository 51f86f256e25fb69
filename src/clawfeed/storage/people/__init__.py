"""Accounts as rows, and all that opens a door: sessions, keys, links, sign-ins elsewhere."""
