"""What a parser says when bytes are not what they should be."""

from __future__ import annotations


class UnreadableError(ValueError):
    """These bytes are not what they should be. The text is ours: it quotes nothing of theirs."""
