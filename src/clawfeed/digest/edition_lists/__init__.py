"""The list an edition is made from: of items, or of shorter editions."""
