"""Measurements, one command each: ratios to a floor or a peer within the same run."""
