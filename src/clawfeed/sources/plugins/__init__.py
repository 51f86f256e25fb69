"""Collectors in plain Python, written by users."""
