"""Fold what the engine tells into what the panes show: pure, so that it can be tested alone."""
