"""One move of one edition: claim, decide, do, save."""
