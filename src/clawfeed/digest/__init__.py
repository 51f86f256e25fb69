"""Workshop: turns stored items into editions."""
