"""A reader's own edition: what they wish for, what that would change, and when it comes."""
