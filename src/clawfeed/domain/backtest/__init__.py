"""Stored history replayed under any rule, ours or a peer's."""
