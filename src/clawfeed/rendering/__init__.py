"""Utilities: a finished edition as Markdown, HTML and plain text. Pure."""
