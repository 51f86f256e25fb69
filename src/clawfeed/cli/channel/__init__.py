"""`clawfeed channel` and its siblings."""
