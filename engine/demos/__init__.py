"""Demonstrations: episodes that somebody played, kept exactly, for an agent to learn from."""
