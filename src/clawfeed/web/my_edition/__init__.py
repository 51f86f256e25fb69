"""A reader's own edition: their interests, what other interests would change, and when it comes."""
