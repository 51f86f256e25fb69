"""Editions and stories, and what readers do with them."""
