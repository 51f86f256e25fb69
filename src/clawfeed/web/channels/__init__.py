"""Where editions go: one's own channels, the house's, and what became of each edition."""
