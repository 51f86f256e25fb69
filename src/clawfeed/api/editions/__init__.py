"""Editions: read, made, fed to feed readers, and what readers want of them."""
