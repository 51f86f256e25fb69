"""Who is handed what: one module for each part of the house."""
