"""One's own X: letting ClawFeed read it, and taking that back."""
