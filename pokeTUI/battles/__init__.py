"""Doubles battles in the terminal: watch them, see what the policy thinks, play yourself."""
