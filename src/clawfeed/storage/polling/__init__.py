"""The queue of polls: what is due, whose turn it is, and what a poll brought."""
