"""What is one reader's own: marks, votes, settings, their front page."""
