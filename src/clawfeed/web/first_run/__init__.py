"""The first minutes: what to follow, and how far the first edition is."""
