"""Editions: read, made, fed to feed readers, and wished for."""
