"""Sources, packs, subscriptions and data faults."""
