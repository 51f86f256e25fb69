"""What `clawfeed doctor` examines, and what it says of it."""
