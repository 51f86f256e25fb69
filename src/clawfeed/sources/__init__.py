"""Readers of the world: what can be followed, how it is asked, and what its answers mean."""
