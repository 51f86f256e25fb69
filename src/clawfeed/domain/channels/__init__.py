"""Where editions go: kinds, wishes, hours, retries."""
