"""Run a game: the Emulator protocol and PyBoy behind it."""
