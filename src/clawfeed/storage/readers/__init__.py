"""What is one reader's own: marks, votes, wishes, their front page."""
