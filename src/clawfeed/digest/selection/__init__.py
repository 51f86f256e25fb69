"""From items to chosen stories, each with its reasons."""
