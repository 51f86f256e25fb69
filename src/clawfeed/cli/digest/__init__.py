"""`clawfeed digest` and its siblings."""
