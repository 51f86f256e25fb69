"""Messages on their way out, and what became of them."""
