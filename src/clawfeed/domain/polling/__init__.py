"""What one poll means: outcome, failure, quota, share of the slots."""
