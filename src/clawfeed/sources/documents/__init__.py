"""Bytes of strangers read into clean values, in parse workers; clean texts and links for all."""
