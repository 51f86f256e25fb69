"""Which items tell the same story: words in common, weighed, and put together."""
