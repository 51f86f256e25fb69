"""Whether a sentence names or counts anything that its sources do not."""
