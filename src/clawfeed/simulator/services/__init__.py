"""The services of the simulated world: what is read, and what messages go to."""
