"""Workshop: polls sources when they are due and stores what is new."""
