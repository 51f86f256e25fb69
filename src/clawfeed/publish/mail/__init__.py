"""Letters, and the way to a mail server."""
