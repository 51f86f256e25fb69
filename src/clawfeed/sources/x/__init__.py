"""X (Twitter): its API, the bridges, and how reads are spent."""
