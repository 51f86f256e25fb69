"""A reader's own edition: their interests, what others would change, and when it comes."""
