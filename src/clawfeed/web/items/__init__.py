"""What was collected from the sources a reader follows: to look through, to search, to save."""
