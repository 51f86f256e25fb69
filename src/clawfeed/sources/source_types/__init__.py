"""One descriptor per source type: everything the house knows of it, in one value."""
