"""What happens in the simulated world, and who publishes it when."""
