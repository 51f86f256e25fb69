"""Who may do what to sources and packs."""
