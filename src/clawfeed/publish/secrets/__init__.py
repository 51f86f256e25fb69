"""The house's key, and what it seals."""
