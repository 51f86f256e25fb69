"""Where editions go, with their secrets sealed."""
