"""Bytes of strangers read into clean values. Everything here runs in a parse worker."""
