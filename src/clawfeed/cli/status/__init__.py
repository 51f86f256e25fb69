"""`clawfeed status`, once or live."""
