"""Stored items: inserted once, listed, searched, removed when they are old."""
