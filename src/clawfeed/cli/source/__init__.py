"""`clawfeed source` and its siblings."""
