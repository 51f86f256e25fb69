"""Workshop: carries editions out of the house."""
