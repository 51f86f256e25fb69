"""How the house is doing, for who runs it."""
