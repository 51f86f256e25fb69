"""What a setting of the operator is: its name, what it may hold, what it means."""
