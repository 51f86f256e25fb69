"""The door: who comes in, by which credentials, and how far."""
