"""The hall: configuration, wiring, start and stop."""
