"""Sources and what they bring: types, status, secrets, faults."""
