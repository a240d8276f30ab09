"""Know Pokémon Crystal: where it keeps its state, how it is played, and its names."""
