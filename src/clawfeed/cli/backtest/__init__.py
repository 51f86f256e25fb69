"""`clawfeed backtest`: replays, tables and pictures."""
