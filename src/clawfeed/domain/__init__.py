"""The foundation: facts and arithmetic. No clock, dice, network, SQL or logging."""
