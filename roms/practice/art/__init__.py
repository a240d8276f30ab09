"""Pixel art of MOSSLIGHT, the practice game, as plain Python data (all of it original)."""
