"""Posting to secret addresses."""
