"""Finished editions, and what they told."""
