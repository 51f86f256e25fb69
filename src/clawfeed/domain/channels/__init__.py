"""Where editions go: kinds, settings, hours, retries."""
