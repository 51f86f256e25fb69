"""Items, and what was marked of them."""
