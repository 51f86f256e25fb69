"""Whose account it is: password, sessions, keys, secret feed addresses."""
