"""Doubles battles in the terminal: watch them, look at what the policy thinks, play yourself."""
