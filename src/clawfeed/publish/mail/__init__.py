"""E-mails, and the way to a mail server."""
