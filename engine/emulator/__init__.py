"""Run a game: the Emulator protocol, with PyBoy and the mGBA core behind it."""
