"""How often somebody may ask, try and guess."""
