"""How things stand, as this installation's settings see them."""
