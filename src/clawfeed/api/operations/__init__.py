"""For operators: status, health, metrics, alarms, settings that change while it runs."""
