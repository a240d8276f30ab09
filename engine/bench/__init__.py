"""Measure the engine on the machine at hand; results worth keeping go into docs/experiments.md."""
