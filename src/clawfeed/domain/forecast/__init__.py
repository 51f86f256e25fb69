"""The learned schedule: when a source publishes, and when a poll pays."""
