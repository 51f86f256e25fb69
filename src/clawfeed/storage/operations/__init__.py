"""How the house is doing: status, figures, alarms, settings that change while it runs."""
