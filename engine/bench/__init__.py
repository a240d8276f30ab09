"""Measure this machine and what is learnt on it: what `poketui bench` prints."""
