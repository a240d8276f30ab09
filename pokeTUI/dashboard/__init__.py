"""Fold the engine's events into what the panes show: pure, so that it can be tested alone."""
