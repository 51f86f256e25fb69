"""Utilities: what the house remembers, on SQLite or PostgreSQL."""
