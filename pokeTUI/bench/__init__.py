"""Measure the cockpit in real pseudo-terminals: `poketui bench ui`."""
