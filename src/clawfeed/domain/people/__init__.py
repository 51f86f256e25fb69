"""Who uses ClawFeed: rights, names, passwords, guesses."""
