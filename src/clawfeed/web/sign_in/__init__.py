"""Where people come in and leave: signing in, the way back from X, leaving a mailing."""
