"""Bytes of strangers read into clean values, in parse workers; and clean texts and links for all."""
