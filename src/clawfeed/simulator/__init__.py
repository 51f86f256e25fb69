"""Utilities: a world on loopback, for the demo, the tests and the benchmarks."""
