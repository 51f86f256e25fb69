"""The entrance: who comes in, by which credentials, and how far."""
